"""The tasks of reasonenv under a name that verifiers finds: a taskset from 0.4 on, an environment before."""

try:
    from reasonenv.integrations.verifiers import ReasonEnvTaskset

    __all__ = ["ReasonEnvTaskset"]
except ImportError:
    from reasonenv.integrations.verifiers_v0 import load_environment

    __all__ = ["load_environment"]
