"""Walls around processes that run programs, and the attempts to break them.

Processes that run programs load this file by itself, so it imports nothing from the package.
"""

import ctypes
import os
import platform
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

NOBODY = 65534
_NAMESPACES = 0x08000000 | 0x20000000 | 0x40000000  # IPC, processes, network
_NEW_USER = 0x10000000
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of `_NUMBERS`, and the architecture as seccomp numbers it."""

# Numbers on x86_64 and aarch64 of the calls that a program may make. They reach its own memory, its own
# descriptors and the clock. What this table lacks is denied: opening files, other processes, sockets with
# an address, shared memory, queues, keys, limits of others, and whatever a later kernel adds.
_NUMBERS = """
read 0 63            write 1 64           readv 19 65          writev 20 66         pread64 17 67
close 3 57           close_range 436 436  lseek 8 62           fstat 5 80           newfstatat 262 79
dup 32 23            dup2 33 -            dup3 292 24          poll 7 -             ppoll 271 73
select 23 -          pselect6 270 72      pipe 22 -            pipe2 293 59         epoll_create1 291 20
epoll_ctl 233 21     epoll_wait 232 -     epoll_pwait 281 22   sendto 44 206        recvfrom 45 207
mmap 9 222           mprotect 10 226      munmap 11 215        mremap 25 216        brk 12 214
madvise 28 233       rt_sigaction 13 134  rt_sigprocmask 14 135 rt_sigreturn 15 139 sigaltstack 131 132
rt_sigpending 127 136 pause 34 -          alarm 37 -           setitimer 38 103     getitimer 36 102
restart_syscall 219 128 nanosleep 35 101  clock_nanosleep 230 115 clock_gettime 228 113 clock_getres 229 114
gettimeofday 96 169  time 201 -           times 100 153        getrusage 98 165     sysinfo 99 179
uname 63 160         getcwd 79 17         getpid 39 172        getppid 110 173      gettid 186 178
getuid 102 174       geteuid 107 175      getgid 104 176       getegid 108 177      getgroups 115 158
getpgrp 111 -        getresuid 118 148    getresgid 120 150    getrlimit 97 163     setrlimit 160 164
getrandom 318 278    futex 202 98         sched_yield 24 124   getcpu 309 168       membarrier 324 283
set_robust_list 273 99 set_tid_address 218 96 rseq 334 293     exit 60 93           exit_group 231 94
"""
# Calls that are allowed with these values of one argument, given by its place.
_IF_EQUAL: tuple[tuple[str, int, int, int, tuple[int, ...]], ...] = (
    ("fcntl", 72, 25, 1, (0, 1, 2, 3, 1030)),  # duplicate and read flags, but no owner to be sent signals
    (
        "ioctl",
        16,
        29,
        1,
        (0x5401, 0x5413, 0x5421, 0x5450, 0x5451),
    ),  # is it a terminal, non-blocking, inherited
    ("prlimit64", 302, 261, 0, (0,)),  # its own limits
    ("sched_getaffinity", 204, 123, 0, (0,)),
)


# What the template needs besides to start, end and enclose the processes of programs, which lose it.
_TEMPLATE = """
clone 56 220         wait4 61 260         kill 62 129          recvmsg 47 212       setsid 112 157
prctl 157 167        memfd_create 319 279 socketpair 53 199    getsockname 51 204   getsockopt 55 209
"""
_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _GIVE = 0x20, 0x15, 0x35, 0x06
_DENIED, _ALLOWED = 0x00050000 | 1, 0x7FFF0000  # EPERM


def _numbers(table: str, column: int) -> list[int]:
    words = table.split()
    found = zip(words[::3], words[1 + column :: 3], strict=True)
    return sorted(int(number) for _, number in found if number != "-")


class _Filter:
    """A program for seccomp."""

    def __init__(self, lines: list[tuple[int, int, int, int]]) -> None:
        data = b"".join(struct.pack("<HBBI", *line) for line in lines)
        self._lines = ctypes.create_string_buffer(data, len(data))
        given = struct.pack("@HP", len(lines), ctypes.addressof(self._lines))
        self._given = ctypes.create_string_buffer(given, len(given))

    def install(self) -> bool:
        """Apply it to this process and all that it starts; return False if the kernel cannot."""
        _prctl(38, 1)  # PR_SET_NO_NEW_PRIVS
        return _prctl(22, 2, ctypes.byref(self._given)) == 0  # PR_SET_SECCOMP


def _searched(numbers: list[int]) -> list[tuple[int, int, int, int]]:
    """Return lines that allow the numbers, found by halves since the kernel tries each number on them."""
    if len(numbers) <= 4:
        equal = [(_JUMP_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
        return [*equal, (_GIVE, 0, 0, _DENIED), (_GIVE, 0, 0, _ALLOWED)]
    half = len(numbers) // 2
    below, above = _searched(numbers[:half]), _searched(numbers[half:])
    return [(_JUMP_ABOVE, len(below), 0, numbers[half]), *below, *above]


class Seccomp:
    """The system calls that templates and programs may make."""

    def __init__(self) -> None:
        if platform.system() != "Linux" or platform.machine() not in _ARCHITECTURES:
            self._filters: list[_Filter] = []
            return
        column, architecture = _ARCHITECTURES[platform.machine()]
        lines = [
            (_LOAD, 0, 0, 4),
            (_JUMP_EQUAL, 1, 0, architecture),
            (_GIVE, 0, 0, 0x80000000),
            (_LOAD, 0, 0, 0),
        ]
        for _, *numbers, argument, values in _IF_EQUAL:
            lines += [
                (_JUMP_EQUAL, 0, 3 + len(values), int(numbers[column])),
                (_LOAD, 0, 0, 16 + 8 * argument),
            ]
            lines += [(_JUMP_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
            lines += [(_GIVE, 0, 0, _DENIED), (_GIVE, 0, 0, _ALLOWED)]
        common, more = _numbers(_NUMBERS, column), _numbers(_TEMPLATE, column)
        lost = [(_JUMP_EQUAL, len(more) - at, 0, number) for at, number in enumerate(more)]
        lost = [(_LOAD, 0, 0, 0), *lost, (_GIVE, 0, 0, _ALLOWED), (_GIVE, 0, 0, _DENIED)]
        self._filters = [_Filter(lines + _searched(sorted(common + more))), _Filter(lost)]

    def deny(self, *, program: bool) -> bool:
        """Deny all calls but those of a template, or of a program that a denied template has forked."""
        return bool(self._filters) and self._filters[program].install()


def _call(number: int, *arguments: object) -> int:
    """Make a system call; return a negative number on failure."""
    return int(_libc().syscall(ctypes.c_long(number), *arguments))


def _prctl(option: int, *arguments: object) -> int:
    given = [*arguments, *[0] * (4 - len(arguments))]
    return int(_libc().prctl(option, *given))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def end_with_parent() -> None:
    """Let the kernel kill this process when its parent ends."""
    if platform.system() == "Linux":
        _prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def confine() -> list[str]:
    """Leave the host's namespaces, files and user as far as the kernel allows; return what was left.

    `Seccomp` alone keeps a program in. Each of these would hold if it had a hole.
    """
    if platform.system() != "Linux":
        return []
    left = []
    root = os.geteuid() == 0
    unshare = _libc().unshare
    if (root and unshare(_NAMESPACES) == 0) or unshare(_NAMESPACES | _NEW_USER) == 0:
        left += ["network", "processes", "shared memory"]
        _keep_namespace()
    with suppress(OSError):
        os.chroot(".")
        left.append("files")
    _drop_user()
    if root and os.geteuid() != 0:
        left.append("user")
    if _landlock():
        left.append("landlock")
    return left


def _drop_user() -> None:
    with suppress(OSError):
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    # A process that makes a user namespace has every capability in it.
    header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))
    _libc().capset(header, ctypes.create_string_buffer(24))


def _landlock() -> bool:
    """Give up every access to files, and signals and sockets that reach other processes."""
    version = _call(444, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version < 1:
        return False
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network, scopes = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    attributes = struct.pack("<QQQ", files, network, scopes)[
        : 24 if version >= 6 else 16 if version >= 4 else 8
    ]
    _prctl(38, 1)
    rules = _call(
        444, ctypes.create_string_buffer(attributes), ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    )
    if rules < 0:
        return False
    denied = _call(446, ctypes.c_int(rules), ctypes.c_uint32(0)) == 0
    os.close(rules)
    return denied


def _keep_namespace() -> None:
    """Fork the first process of the new process namespace, which ends all others when it ends."""
    ours, theirs = os.pipe()
    if os.fork() == 0:
        _drop_user()
        for fd in range(64):
            if fd != ours:
                with suppress(OSError):
                    os.close(fd)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.read(ours, 1)  # until this process's parent has ended
        os._exit(0)
    os.close(ours)
    os.set_inheritable(theirs, False)


def escapes(outside: int) -> list[str]:
    """Try to break out, as a program might; return the names of attempts that were not denied.

    Args:
        outside: A process that belongs to the same user, but is outside.
    """
    return [name for name, attempt in _attempts(outside) if _succeeds(attempt)]


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        found = attempt()
    except OSError:
        return False
    return not isinstance(found, int) or found >= 0


def _attempts(outside: int) -> Iterator[tuple[str, Callable[[], object]]]:
    for path in (
        f"/proc/{outside}/mem",
        f"/proc/{outside}/environ",
        f"/proc/{outside}/maps",
        "/etc/passwd",
        ".",
    ):
        yield f"open {path.replace(str(outside), 'PID')}", lambda path=path: os.open(path, os.O_RDONLY)  # type: ignore[misc]
    yield "write a file", lambda: os.open(".", os.O_RDWR | getattr(os, "O_TMPFILE", os.O_DIRECTORY))
    yield "list a folder", lambda: os.listdir("/")
    yield "start a process", _forked
    yield "run a program", lambda: os.execv("/bin/true", ["true"])
    yield "signal a process", lambda: os.kill(outside, 0)
    yield "signal a group", lambda: os.killpg(os.getpgrp(), 0)
    yield "open a socket", socket.socket
    if platform.system() != "Linux" or platform.machine() not in _ARCHITECTURES:
        return
    column = _ARCHITECTURES[platform.machine()][0]
    buffer = ctypes.create_string_buffer(b"\xff" * 16, 256)
    for name, numbers, arguments in _CALLS:
        given = [outside if one == "PID" else buffer if one == "BUFFER" else one for one in arguments]
        if numbers[column] >= 0:
            undo = _UNDO.get(name, (-1, -1))[column]
            yield name, lambda number=numbers[column], given=given, undo=undo: _tried(number, given, undo)  # type: ignore[misc]


def _tried(number: int, arguments: list[object], undo: int) -> int:
    found = _call(number, *arguments)
    if found >= 0 and undo >= 0:
        _call(undo, arguments[0] if isinstance(arguments[0], bytes) else found, 0, 0)
    return found


_UNDO = {"shmget": (31, 195), "msgget": (71, 187), "semget": (66, 191), "mq_open": (241, 181)}
"""Calls that remove what others create."""


def _forked() -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return pid


# Calls by kind, with arguments that would succeed without the walls and change nothing outside.
_CALLS: tuple[tuple[str, tuple[int, int], tuple[object, ...]], ...] = (
    ("rt_sigqueueinfo", (129, 138), ("PID", 0, "BUFFER")),
    ("rt_tgsigqueueinfo", (297, 240), ("PID", "PID", 0, "BUFFER")),
    ("tgkill", (234, 131), ("PID", "PID", 0)),
    ("pidfd_open", (434, 434), ("PID", 0)),
    ("ptrace", (101, 117), (0x4206, "PID", 0, 0)),
    ("process_vm_readv", (310, 270), ("PID", "BUFFER", 1, "BUFFER", 1, 0)),
    ("kcmp", (312, 272), ("PID", "PID", 0, 0, 0)),
    ("prlimit64", (302, 261), ("PID", 7, 0, "BUFFER")),
    ("sched_setaffinity", (203, 122), (0, 8, "BUFFER")),
    ("sched_getaffinity", (204, 123), ("PID", 128, "BUFFER")),
    ("setpriority", (141, 140), (0, 0, 0)),
    ("fcntl F_SETOWN", (72, 25), (3, 8, "PID")),
    ("ioctl FIOSETOWN", (16, 29), (3, 0x8901, "BUFFER")),
    ("prctl", (157, 167), (1, 0, 0, 0, 0)),
    ("shmget", (29, 194), (0, 4096, 0o1600)),
    ("msgget", (68, 186), (0, 0o1600)),
    ("semget", (64, 190), (0, 1, 0o1600)),
    ("mq_open", (240, 180), (b"reasonenv", 0o100, 0o600, 0)),
    ("add_key", (248, 217), (b"user", b"reasonenv", b"x", 1, -2)),
    ("keyctl", (250, 219), (0, -2, 1)),
    ("memfd_create", (319, 279), (b"reasonenv", 0)),
    ("io_uring_setup", (425, 425), (1, "BUFFER")),
    ("userfaultfd", (323, 282), (1,)),
    ("perf_event_open", (298, 241), ("BUFFER", 0, -1, -1, 0)),
    ("bpf", (321, 280), (0, "BUFFER", 128)),
    ("unshare", (272, 97), (0x10000000,)),
    ("setsid", (112, 157), ()),
    ("open_by_handle_at", (304, 265), (-100, "BUFFER", 0)),
    ("inotify_init1", (294, 26), (0,)),
    ("socket of netlink", (41, 198), (16, 3, 0)),
)
