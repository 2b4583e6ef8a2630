"""Styles in which models write programs. Plain Python decides what each prints."""

PROGRAMS: dict[str, tuple[str, str]] = {}
"""Program and input by name."""
SUM = "3\n1 2 3\n"


def _add(name: str, source: str, given: str = SUM) -> None:
    PROGRAMS[name] = (source, given)


# Input
_add("input", "n = int(input())\nprint(sum(map(int, input().split())))")
_add("stdin.read", "import sys\nn, *a = map(int, sys.stdin.read().split())\nprint(sum(a))")
_add("stdin.readline", "import sys\ninput = sys.stdin.readline\nn = int(input())\nprint(input().strip())")
_add("stdin.readlines", "import sys\nlines = sys.stdin.readlines()\nprint(len(lines), lines[1].split())")
_add("stdin lines", "import sys\nfor i, line in enumerate(sys.stdin):\n    print(i, line.rstrip()[::-1])")
_add("stdin iterator", "import sys\nit = iter(sys.stdin.read().split())\nprint([int(x) for x in it])")
_add("stdin next", "import sys\nnext(sys.stdin)\nprint(next(sys.stdin).split())")
_add(
    "stdin.read(1)",
    "import sys\nprint(repr(sys.stdin.read(1)), repr(sys.stdin.read(2)), repr(sys.stdin.readline()))",
)
_add("stdin walrus", "import sys\nwhile (line := sys.stdin.readline()):\n    print(len(line))")
_add("buffer.read", "import sys\nn, *a = map(int, sys.stdin.buffer.read().split())\nprint(sum(a))")
_add("buffer.readline", "import sys\ninput = sys.stdin.buffer.readline\nn = int(input())\nprint(input())")
_add("buffer lines", "import sys\nprint([line for line in sys.stdin.buffer])")
_add("from sys", "from sys import stdin, stdout\nn = int(stdin.readline())\nstdout.write(stdin.readline())")
_add("from sys as", "from sys import stdin as inp, exit as leave\nprint(inp.read())\nleave()")
_add("import sys as", "import sys as s\nprint(s.stdin.read().split())")
_add("import in a function", "def main():\n    import sys\n    print(sys.stdin.readline())\nmain()")
_add("lambda", "I = lambda: list(map(int, input().split()))\nI()\nprint(max(I()))")
_add("fileinput", "import fileinput\nprint([line.strip() for line in fileinput.input()])")
_add("open(0)", "n, *a = map(int, open(0).read().split())\nprint(sum(a))")
_add("open(0) lines", "for line in open(0):\n    print(line.split())")
_add("with open(0)", "with open(0) as f:\n    print(f.readlines())")
_add("open binary", "print(open(0, 'rb').read().split())")
_add("/dev/stdin", "print(open('/dev/stdin').read().split())")
_add("os.read", "import os\nprint(os.read(0, 1000).split())")
_add("stdin.fileno", "import os, sys\nprint(os.read(sys.stdin.fileno(), os.fstat(0).st_size))")
_add("os.fdopen", "import os\nprint(os.fdopen(0).read())")
_add("io.open", "import io\nprint(io.open(0, encoding='utf-8').readline())")
_add(
    "text wrapper",
    "import io, sys\nsys.stdin = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8')\nprint(input())",
)
_add("mmap", "import mmap\nprint(mmap.mmap(0, 0, access=mmap.ACCESS_READ)[:])")
_add("reconfigure", "import sys\nsys.stdin.reconfigure(encoding='latin-1')\nprint(input())")
_add("isatty", "import sys\nprint(sys.stdin.isatty(), sys.stdout.isatty())")
_add("prompt", "n = int(input('n = '))\nprint(n * 2)")
_add("prompts", "for _ in range(2):\n    print(input(f'{_}: ').split())\n")
_add(
    "until EOFError",
    "while True:\n    try:\n        line = input()\n    except EOFError:\n        break\n    print(line)",
)
_add(
    "EOFError among others",
    "try:\n    while 1:\n        print(input())\nexcept (EOFError, ValueError) as error:\n    print(error)",
)
_add(
    "EOFError is no ValueError",
    "try:\n    input()\n    input()\n    input()\nexcept ValueError:\n    print('no')",
)
_add("EOFError uncaught", "print(1)\nwhile True:\n    input()")
_add("bare except", "try:\n    while True:\n        print(input())\nexcept:\n    pass")
_add("carriage returns", "import sys\nprint([line for line in sys.stdin])\n", "a b\r\nc\rd\r\n")
_add("carriage returns, input", "print(len(input()), len(input()))", "abc\r\nde\r\n")
_add("carriage returns, buffer", "import sys\nprint(sys.stdin.buffer.read().split())", "a b\r\nc\r\n")
_add("form feed", "import sys\nprint([len(line) for line in sys.stdin])", "a\fb\x1cc\x85d\ne\u2028f\n")
_add("line separator", "print(len(input()))", "a\u2028b\u2029c\n")
_add("no last newline", "import sys\nprint(repr(sys.stdin.readlines()[-1]))", "a\nb")
_add("no input", "import sys\nprint(repr(sys.stdin.read()), repr(sys.stdin.readline()))", "")
_add("Unicode", "print(input()[::-1].upper())", "héllo ß 🙂\n")
_add("empty lines", "import sys\nprint(sys.stdin.read().split('\\n'))", "\n\na\n\n")
# Output
_add("star and sep", "a = [1, 2, 3]\nprint(*a, sep='\\n')\nprint(*a, end='!\\n')")
_add("stdout.write", "import sys\nsys.stdout.write('a\\n')\nw = sys.stdout.write\nw(str(1) + '\\n')")
_add("stdout.writelines", "import sys\nsys.stdout.writelines(['a\\n', 'b\\n'])\nsys.stdout.flush()")
_add("stdout.buffer", "import sys\nsys.stdout.buffer.write(b'5\\n')")
_add("stdout and buffer", "import sys\nprint('a', flush=True)\nsys.stdout.buffer.write(b'b\\n')")
_add("print to stdout", "import sys\nprint(1, 2, file=sys.stdout, sep='-')")
_add("print to stderr", "import sys\nprint('debug', file=sys.stderr)\nprint(5)")
_add("stderr.write", "import sys\nsys.stderr.write('debug\\n')\nprint(5)")
_add("answer on stderr", "import sys\nprint(5, file=sys.stderr)")
_add("flush", "print(9, flush=True)\nprint(end='')")
_add("os.write", "import os\nos.write(1, b'5\\n')")
_add("print and os.write", "import os, sys\nprint('a')\nsys.stdout.flush()\nos.write(1, b'b\\n')\nprint('c')")
_add("__stdout__", "import sys\nsys.__stdout__.write('5\\n')")
_add("open(1)", "out = open(1, 'w')\nout.write('left open')")
_add(
    "StringIO",
    "import io, sys\nkept = sys.stdout\nsys.stdout = io.StringIO()\nprint('a')\nkept.write(sys.stdout.getvalue())",
)
_add(
    "redirect",
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as f:\n    print('a')\nprint(f.getvalue())",
)
_add("print to a file", "import io\nf = io.StringIO()\nprint('a', file=f)\nprint(f.getvalue())")
_add(
    "atexit",
    "import atexit, io, sys\nbuffer = io.StringIO()\nsys.stdout = buffer\natexit.register(lambda: sys.__stdout__.write(buffer.getvalue()))\nprint(7)",
)
_add("__del__", "class A:\n    def __del__(self):\n        print('bye')\na = A()\nprint('hi')")
_add("logging", "import logging\nlogging.warning('careful')\nprint(5)")
_add("warnings", "import warnings\nwarnings.warn('old')\nprint(5)")
_add("SyntaxWarning", "x = '\\d'\nprint(x, 1 is 1)")
_add(
    "traceback",
    "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\nprint('went on')",
)
_add("pprint", "from pprint import pprint\npprint({'b': [1, 2], 'a': (3,)})")
_add(
    "formats",
    "x = 3.14159\nprint(f'{x:.2f} {x!r:>10} {1000000:,}', '%05d %.3e' % (42, x), '{:>4}|{:<4}|'.format(1, 2))",
)
_add(
    "floats",
    "print(0.1 + 0.2, 1e16, 1e-7, float('inf'), -0.0, 2.0 ** 0.5, 7 // 2, -7 // 2, -7 % 3, round(2.5))",
)
_add("containers", "print({1: [2, (3,)]}, {5}, set(), None, True, 'a\\n', b'x', 1j, range(3))")
_add("long integers", "print(len(str(7 ** int(input()))))", "10000\n")
_add("long integer read", "print(int(input()) % 97)", "9" * 6000 + "\n")
# The end of a program
_add("sys.exit", "import sys\nprint(1)\nsys.exit()\nprint(2)")
_add("sys.exit(0)", "import sys\ndef main():\n    print(1)\n    sys.exit(0)\nmain()\nprint(2)")
_add("sys.exit(1)", "import sys\nprint(1)\nsys.exit(1)")
_add("sys.exit with a message", "import sys\nprint(1)\nsys.exit('failed')")
_add("exit", "print(1)\nexit()\nprint(2)")
_add("exit(0)", "if int(input()) == 3:\n    print('YES')\n    exit(0)\nprint('NO')")
_add("exit(2)", "print(1)\nexit(2)")
_add("quit", "print(1)\nquit()\nprint(2)")
_add("exit before the answer", "exit()\nprint(5)")
_add("SystemExit", "print(1)\nraise SystemExit")
_add("SystemExit(0)", "print(1)\nraise SystemExit(0)")
_add("SystemExit(3)", "print(1)\nraise SystemExit(3)")
_add("exit is no Exception", "try:\n    exit()\nexcept Exception:\n    print('caught')")
_add("exit in a bare except", "try:\n    exit()\nexcept:\n    print('caught')")
_add("os._exit", "import os, sys\nprint(1)\nsys.stdout.flush()\nos._exit(0)")
_add("os._exit unflushed", "import os\nprint(1)\nos._exit(0)")
_add("os._exit(1)", "import os\nprint(1, flush=True)\nos._exit(1)")
_add("exception", "print(1)\nraise ValueError('no')")
_add("caught", "try:\n    print([][1])\nexcept IndexError as error:\n    print(type(error).__name__, error)")
_add("assertion", "print(1)\nassert 1 == 2, 'no'")
_add("main guard", "def main():\n    print(input())\n\nif __name__ == '__main__':\n    main()")
_add(
    "main guard and exit",
    "import sys\ndef main():\n    print(1)\n    return 0\nif __name__ == '__main__':\n    sys.exit(main())",
)
# The language and its library
_add(
    "mentions",
    "# never call globals() or locals(), nor read sys.stdin\nprint('sys.stdin, exit() and open(0)')",
)
_add("globals", "x = 3\nprint(globals()['x'], 'x' in locals())")
_add("locals", "def f(a):\n    b = 2\n    return sorted(locals())\nprint(f(1))")
_add("recursion", "def f(n):\n    return n and 1 + f(n - 1)\nprint(f(950))")
_add(
    "recursion, deeper",
    "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f(n):\n    return n and 1 + f(n - 1)\nprint(f(4000))",
)
_add(
    "recursion, deep",
    "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f(n):\n    return n and 1 + f(n - 1)\nprint(f(30000))",
)
_add("recursion without end", "def f(n):\n    return f(n + 1)\nprint(1)\nf(0)")
_add("modular inverse", "print(pow(3, -1, 7), pow(2, 10 ** 9, 10 ** 9 + 7))")
_add("generator", "def f(n):\n    for i in range(n):\n        yield i * i\nprint(list(f(4)), sum(f(3)))")
_add(
    "classes",
    "class A:\n    def v(self):\n        return 1\nclass B(A):\n    def v(self):\n        return super().v() + 1\nprint(B().v())",
)
_add(
    "custom exception",
    "class Bad(Exception):\n    pass\ntry:\n    raise Bad('x')\nexcept Bad as error:\n    print(error)",
)
_add(
    "dataclass",
    "from dataclasses import dataclass\n@dataclass(order=True)\nclass P:\n    x: int\n    y: int = 2\nprint(P(1), P(1) < P(2))",
)
_add("heapq", "import heapq\na = [3, 1, 2]\nheapq.heapify(a)\nprint(heapq.heappop(a), heapq.nlargest(2, a))")
_add(
    "collections",
    "from collections import Counter, defaultdict, deque\nd = deque([1, 2])\nd.appendleft(0)\nprint(Counter('aab').most_common(1), list(d), defaultdict(int)['x'])",
)
_add(
    "itertools",
    "from itertools import permutations, accumulate, groupby\nprint(len(list(permutations(range(4)))), list(accumulate([1, 2, 3])))",
)
_add(
    "lru_cache",
    "from functools import lru_cache\n@lru_cache(None)\ndef f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(50))",
)
_add(
    "star import",
    "from math import *\nfrom collections import *\nprint(gcd(12, 18), floor(pi), pow(2, 3), Counter('aa'))",
)
_add(
    "bisect", "from bisect import bisect_left, insort\na = [1, 3]\ninsort(a, 2)\nprint(bisect_left(a, 3), a)"
)
_add(
    "match",
    "match input().split():\n    case ['3']:\n        print('three')\n    case _:\n        print('other')",
)
_add("del", "d = {'a': 1, 'b': 2}\ndel d['a']\nprint(d)")
_add("string", "import string\nprint(string.ascii_lowercase[:3], str.maketrans('a', 'b'))")
_add("regular expression", "import re\nprint(re.findall(r'\\d+', 'a1b22'), re.sub('a', 'b', 'aa'))")
_add(
    "asyncio",
    "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 3\nprint(asyncio.run(f()))",
)
_add(
    "typing",
    "from typing import List, Optional\ndef f(a: List[int]) -> Optional[int]:\n    return max(a, default=None)\nprint(f([1]))",
)
_add("decimal", "from decimal import Decimal, getcontext\ngetcontext().prec = 10\nprint(Decimal(1) / 3)")
_add("fractions", "from fractions import Fraction\nprint(Fraction(1, 3) + Fraction(1, 6))")
_add("environment", "import os\nprint(os.environ.get('ONLINE_JUDGE'), os.path.exists('input.txt'))")
_add("argv", "import sys\nprint(len(sys.argv), sys.maxsize, sys.version_info >= (3, 8))")
_add(
    "fast input and output",
    """import os, sys
from io import BytesIO, IOBase

class FastIO(IOBase):
    newlines = 0

    def __init__(self, file):
        self._fd = file.fileno()
        self.buffer = BytesIO()
        self.write = self.buffer.write

    def readline(self):
        while self.newlines == 0:
            b = os.read(self._fd, max(os.fstat(self._fd).st_size, 8192))
            self.newlines = b.count(b'\\n') + (not b)
            ptr = self.buffer.tell()
            self.buffer.seek(0, 2), self.buffer.write(b), self.buffer.seek(ptr)
        self.newlines -= 1
        return self.buffer.readline()

    def flush(self):
        os.write(self._fd, self.buffer.getvalue())
        self.buffer.truncate(0), self.buffer.seek(0)

class IOWrapper(IOBase):
    def __init__(self, file):
        self.buffer = FastIO(file)
        self.flush = self.buffer.flush
        self.write = lambda s: self.buffer.write(s.encode('ascii'))
        self.readline = lambda: self.buffer.readline().decode('ascii')

sys.stdin, sys.stdout = IOWrapper(sys.stdin), IOWrapper(sys.stdout)
input = lambda: sys.stdin.readline().rstrip('\\r\\n')
n = int(input())
print(sum(map(int, input().split())), n)
""",
)

_add("length", "class A:\n    def __len__(self):\n        return 0\nprint(len(A()), bool(A()))")
_add(
    "order",
    "class A:\n    def __lt__(self, other):\n        return True\nprint(A() < A(), len(sorted([A(), A()])))",
)
_add("attributes", "class A:\n    def __getattr__(self, name):\n        return name\nprint(A().x)")
_add("in place", "class A:\n    def __iadd__(self, n):\n        return n\na = A()\na += 1\nprint(a)")

DENIED = {
    "thread": "import threading\nt = threading.Thread(target=print, args=(5,))\nt.start()\nt.join()",
    "deep thread": "import sys, threading\nthreading.stack_size(1 << 26)\nthreading.Thread(target=lambda: print(5)).start()",
    "subprocess": "import subprocess\nprint(subprocess.run(['echo', '5'], capture_output=True).stdout)",
    "file": "with open('/tmp/reasonenv-style', 'w') as f:\n    f.write('5')\nprint(5)",
    "NumPy": "import numpy as np\nprint(np.arange(3).sum() + 2)",
}
"""Programs that print 5 under plain Python but do what no sandbox allows."""
