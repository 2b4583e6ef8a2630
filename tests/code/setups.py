"""Set-ups in which programs run: `python setups.py USER NAMESPACES`, each as a process of its own.

USER is `same` or `other`, an ordinary user that root becomes; NAMESPACES is `yes` or `no`, where the kernel
denies `unshare` as many containers do. Prints what a hostile program achieves, as JSON.
"""

import ctypes
import json
import os
import platform
import signal
import struct
import sys
from typing import Any

UNSHARE = {"x86_64": 272, "aarch64": 97}


def deny_unshare() -> None:
    """Let every later `unshare` of this process fail, as seccomp does in containers."""
    load, jump_equal, give = 0x20, 0x15, 0x06
    lines = [(load, 0, 0, 0), (jump_equal, 0, 1, UNSHARE[platform.machine()]), (give, 0, 0, 0x00050001)]
    data = b"".join(struct.pack("<HBBI", *one) for one in [*lines, (give, 0, 0, 0x7FFF0000)])
    held = ctypes.create_string_buffer(data, len(data))
    given = ctypes.create_string_buffer(struct.pack("@HP", len(data) // 8, ctypes.addressof(held)))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, given, 0, 0) == 0


def become_other() -> None:
    os.setgroups([])
    os.setgid(54321)
    os.setuid(54321)


def programs(trainer: int) -> dict[str, str]:
    """Return bodies of `f(x)` that return True once out."""
    from reasonenv.verifiers._code import _isolation  # noqa: PLC0415  after the user has changed

    column = ["x86_64", "aarch64"].index(platform.machine())
    found = {}
    for path in ("mem", "environ", "maps", "cmdline", "status", "fd/0", "root/etc/passwd", "task"):
        found[f"open /proc/PID/{path}"] = f"open('/proc/{trainer}/{path}', 'rb').read(1)\n    return True"
    paths = ("/etc/passwd", sys.executable, __file__, "/proc/self/mem", "/proc/1/environ", "/dev/shm/x")
    for path in paths:
        found[f"open {path}"] = f"open({path!r}, 'rb')\n    return True"
    found["list /proc"] = "import os\n    return bool(os.listdir('/proc'))"
    found["secret in its environment"] = (
        "import ctypes, os\n"
        "    e = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')\n"
        "    at = 0\n    while e and e[at]:\n        if b'hf_super' in e[at]:\n            return True\n"
        "        at += 1\n    return bool(os.environ.get('SECRET_TOKEN'))"
    )
    for name, call in {
        "kill": "os.kill(PID, 10)",
        "pidfd": "signal.pidfd_send_signal(os.pidfd_open(PID), 10)",
        "killpg": "os.killpg(os.getpgid(PID), 10)",
        "owner of a descriptor": "fcntl.fcntl(3, fcntl.F_SETOWN, PID)",
        "asynchronous descriptor": "fcntl.fcntl(3, fcntl.F_SETFL, os.O_ASYNC)",
        "limits of the trainer": "resource.prlimit(PID, resource.RLIMIT_NOFILE, (9, 9))",
        "processors of the trainer": "os.sched_setaffinity(PID, {0})",
        "priority of the trainer": "os.setpriority(os.PRIO_PROCESS, PID, 19)",
        "fork": "os.fork()",
        "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
        "socket": "socket.socket(socket.AF_UNIX)",
        "memory file": "os.memfd_create('x')",
        "new group": "os.setpgid(0, 0)",
        "outlive the trainer": "ctypes.CDLL(None).prctl(1, 0) and 1 / 0",
    }.items():
        modules = "ctypes, fcntl, os, resource, signal, socket"
        found[name] = f"import {modules}\n    {call.replace('PID', str(trainer))}\n    return True"
    for name, numbers, arguments in _isolation._CALLS:
        given = ", ".join({"PID": str(trainer), "BUFFER": "b"}.get(str(one), repr(one)) for one in arguments)
        found[f"call {name}"] = (
            f"import ctypes\n    b = ctypes.create_string_buffer(256)\n    ctypes.memset(b, 255, 8)\n"
            f"    return ctypes.CDLL(None).syscall({numbers[column]}, {given}) >= 0"
        )
    return found


def main() -> dict[str, Any]:
    from reasonenv import verifiers  # noqa: PLC0415  after the user has changed
    from reasonenv.verifiers._code import _cpython  # noqa: PLC0415

    signals: list[int] = []
    for one in (signal.SIGUSR1, signal.SIGIO, signal.SIGURG):
        signal.signal(one, lambda number, _: signals.append(number))
    chosen = programs(os.getpid())
    secret = f"EXPECTED-{os.urandom(4).hex()}"
    judge = verifiers.python_tests(runtime="cpython", seconds=10)
    texts = [f"```python\ndef f(x):\n    {body}\n```" for body in chosen.values()]
    verdicts = judge(texts, [["assert f(0) == True"]] * len(texts))
    right = judge([f"```python\ndef f(x): return {secret!r}\n```"], [[f"assert f(0) == {secret!r}"]])
    template = _cpython._Template()
    with open(f"/proc/{template._process.pid}/status") as file:
        uids = next(line for line in file if line.startswith("Uid")).split()[1:]
    template.close()
    return {
        "out": [name for name, one in zip(chosen, verdicts, strict=True) if one.passed],
        "labels": sorted({label for one in verdicts for label in one.failures}),
        "right": right[0].passed,
        "signals": signals,
        "confined": template.confined,
        "walls": template.walls,
        "uids": uids,
        "tried": len(chosen),
    }


if __name__ == "__main__":
    user, namespaces = sys.argv[1:]
    if namespaces == "no":
        deny_unshare()
    if user == "other":
        become_other()
    os.environ["SECRET_TOKEN"] = "hf_supersecret"
    print(json.dumps(main()))
