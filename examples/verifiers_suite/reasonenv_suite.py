"""Tasks of reasonenv under a name that verifiers finds: a taskset from 0.4 on, an environment before.

Versions shortly before 0.4 have both; each entry point looks for its own.
"""

from reasonenv.integrations.verifiers_v0 import load_environment

try:
    from reasonenv.integrations.verifiers import ReasonEnvEnv, ReasonEnvTaskset

    __all__ = ["ReasonEnvEnv", "ReasonEnvTaskset", "load_environment"]
except ImportError:
    __all__ = ["load_environment"]
