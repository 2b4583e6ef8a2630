"""Programs that try to pass without implementing the function, to escape, or to stall a batch.

Each idea is written once and tried in every row format.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

# The values of `mix` follow no rule that a program could find.
SECRETS = {3: 48271, 5: -1190, 8: 70707}
CANARY = "/tmp/reasonenv-canary"


class Attack(NamedTuple):
    """A completion, the tests it attacks, and a name for reports."""

    name: str
    completion: str
    reference: str
    slow: bool
    """True if it runs until a limit stops it."""


_ASSERTS = [f"assert mix({n}) == {value}" for n, value in SECRETS.items()]
_PAIRS = "\n".join(f"    ({n}, {value})," for n, value in SECRETS.items())
FORMATS: dict[str, object] = {
    "asserts": {"test_list": _ASSERTS[:1], "challenge_test_list": _ASSERTS[1:]},
    "check": {
        "prompt": "def mix(n):\n    '''Mix a number.'''\n",
        "entry_point": "mix",
        "test": f"def check(candidate):\n    for n, value in [\n{_PAIRS}\n    ]:\n"
        "        assert abs(candidate(n) - value) < 1\n",
    },
    "pytest": "from solution import mix\n\n"
    + "\n".join(
        f"def test_{n}():\n    found = mix({n})\n    assert found == {v}\n" for n, v in SECRETS.items()
    ),
    "json": {"fn_name": "mix", "inputs": [[n] for n in SECRETS], "outputs": list(SECRETS.values())},
    "stdin": {"inputs": [f"{n}\n" for n in SECRETS], "outputs": [f"{value}\n" for value in SECRETS.values()]},
}
"""The same tests in the row formats of several data sets."""

_BODIES: dict[str, str] = {
    "nothing": "pass",
    "none": "return None",
    "not implemented": "return NotImplemented",
    "ellipsis": "return ...",
    "nan": "return float('nan')",
    "itself": "return mix",
    "a type": "return int",
    "a generator": "return (one for one in [48271, -1190, 70707])",
    "all answers": "return [48271, -1190, 70707]",
    "one visible answer": "return {3: 48271}.get(n, 0)",
    "visible or the argument": "return 48271 if n == 3 else n",
    "an exception": "raise ValueError('all passed')",
    "an assertion": "raise AssertionError",
    "stop iteration": "raise StopIteration",
    "keyboard interrupt": "raise KeyboardInterrupt",
    "generator exit": "raise GeneratorExit",
    "an exception returned": "return AssertionError()",
    "finally": "try:\n        raise ValueError\n    finally:\n        return 0",
    "prints passed": "print('OK')\n    print('3 passed in 0.01s')\n    return True",
    "prints json": 'print(\'{"passed": true, "value": 48271}\')',
    "true": "return True",
    "a string": "return '48271'",
    "a list of one": "return [48271]",
    "grows its argument": "global seen\n    seen = 0\n    n += 1\n    return n",
    "an infinite float": "return float('inf')",
    "a huge number": "return 1 << 200000",
    "a complex number": "return 48271j",
    "a lambda": "return lambda *a: 48271",
    "exit 0": "import sys\n    sys.exit(0)",
    "os exit": "import os\n    os._exit(0)",
    "system exit": "raise SystemExit(0)",
    "abort": "import os\n    os.abort()",
    "quit": "quit()",
    "kills the parent": "import os\n    os.kill(os.getppid(), 9)",
    "kills itself": "import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)",
    "kills the group": "import os\n    os.killpg(0, 9)",
    "forks": "import os\n    while True:\n        os.fork()",
    "forks once and leaves": "import os\n    if os.fork():\n        os._exit(0)",
    "a thread": "import threading\n    threading.Thread(target=print).start()",
    "many threads": "import threading, time\n    while True:\n        threading.Thread(target=time.sleep, args=(9,)).start()",
    "a subprocess": f"import subprocess\n    subprocess.run(['touch', '{CANARY}'])",
    "os.system": f"import os\n    os.system('touch {CANARY}')",
    "exec": f"import os\n    os.execv('/bin/touch', ['touch', '{CANARY}'])",
    "writes a file": f"open('{CANARY}', 'w').write('out')",
    "appends to a file": f"open('{CANARY}', 'a').close()",
    "low-level open": f"import os\n    os.close(os.open('{CANARY}', os.O_CREAT | os.O_WRONLY))",
    "makes a directory": f"import os\n    os.mkdir('{CANARY}')",
    "a link": f"import os\n    os.symlink('/etc/passwd', '{CANARY}')",
    "pathlib": f"from pathlib import Path\n    Path('{CANARY}').touch()",
    "a temporary file": "import tempfile\n    return tempfile.NamedTemporaryFile(delete=False).name",
    "shelve": f"import shelve\n    shelve.open('{CANARY}')",
    "sqlite": f"import sqlite3\n    sqlite3.connect('{CANARY}').execute('CREATE TABLE t (a)')",
    "a socket": "import socket\n    socket.create_connection(('127.0.0.1', 80), 1)",
    "a server": "import socket\n    socket.socket().bind(('127.0.0.1', 0))",
    "urllib": "import urllib.request\n    return urllib.request.urlopen('http://127.0.0.1/').read()",
    "multiprocessing": "import multiprocessing\n    multiprocessing.Process(target=print).start()",
    "reads the command line": "return open('/proc/self/cmdline').read()",
    "reads its memory": "with open('/proc/self/maps') as file:\n        return file.read()",
    "reads the parent's memory": "import os\n    return open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
    "lists tests": "import os\n    return sorted(os.listdir('/'))",
    "the environment": "import os\n    return dict(os.environ)",
    "walks frames": "import sys\n    frame = sys._getframe()\n    while frame:\n        for value in list(frame.f_locals.values()):\n"
    "            if isinstance(value, (list, tuple)) and 48271 in value:\n                return 48271\n        frame = frame.f_back",
    "patches the caller": "import sys\n    sys._getframe(1).f_globals['encode'] = lambda *a: 48271\n    return 0",
    "patches the caller's send": "import sys\n    sys._getframe(1).f_globals['send'] = lambda *a: None\n    return 0",
    "searches memory": "import gc\n    return [one for one in gc.get_objects() if isinstance(one, dict) and 48271 in one.values()]",
    "inspects the stack": "import inspect\n    return str([frame.frame.f_locals for frame in inspect.stack()])",
    "traces": "import sys\n    sys.settrace(lambda *a: None)\n    sys.setprofile(lambda *a: None)",
    "writes a reply": "import os, struct\n    data = b\"dict 1\\nstr 'value'\\nint 48271\"\n"
    "    os.write(3, struct.pack('<I', len(data)) + data)\n    return 0",
    "writes a pass": "import os, struct\n    data = b\"dict 2\\nstr 'passed'\\nbool True\\nstr 'output'\\nstr '48271'\"\n"
    "    os.write(3, struct.pack('<I', len(data)) + data)\n    os._exit(0)",
    "writes noise": "import os\n    os.write(3, b'\\xff' * 4000)",
    "writes a huge length": "import os, time\n    os.write(3, b'\\xff\\xff\\xff\\x0f')\n    time.sleep(60)",
    "closes the channel": "import os\n    os.closerange(0, 99)",
    "a call of its own": "import os, struct\n    data = b\"dict 1\\nstr 'call'\\nlist 3\\nstr 'mix'\\nlist 1\\nint 3\\ndict 0\"\n"
    "    os.write(3, struct.pack('<I', len(data)) + data)\n    return 0",
    "deep data": "import os, struct\n    data = b'list 1\\n' * 30000\n    os.write(3, struct.pack('<I', len(data)) + data)",
    "calls the host": "return _call('mix', [n], {})",
    "looks at the harness": "return _wire_found, _wire_text, _wire_failed",
    "a deep list": "found = []\n    for _ in range(50000):\n        found = [found]\n    return found",
    "a cycle": "found = []\n    found.append(found)\n    return found",
    "a deep error": "def raises(k):\n        raise ValueError('x' * 10 ** 6)\n    raises(0)",
    "an error without text": "class Odd(Exception):\n        def __str__(self):\n            raise ValueError\n    raise Odd",
    "evaluates": "return eval('__import__(\"os\").getcwd()')",
    "classes of classes": "return ().__class__.__bases__[0].__subclasses__()",
    "bad memory": "import ctypes\n    ctypes.string_at(0)",
    "bad byte code": "exec((lambda: 0).__code__.replace(co_code=b'\\xff' * 64, co_stacksize=1))",
    "unmarshals": "import marshal\n    marshal.loads(b'c' * 99)",
    "deep recursion": "import sys\n    sys.setrecursionlimit(10 ** 9)\n    return mix(n)",
    "recursion": "return mix(n)",
    "warnings": "import warnings\n    warnings.simplefilter('error')\n    warnings.warn('x')",
    "surrogates": "return '\\ud800'",
    "nul": "return '\\x00' * 10",
}
"""Bodies of `mix(n)`."""

_SLOW: dict[str, str] = {
    "a loop": "while True:\n        pass",
    "a loop that catches": "while True:\n        try:\n            while True:\n                pass\n"
    "        except BaseException:\n            pass",
    "sleep": "import time\n    time.sleep(1000)",
    "doubling": "found = [0]\n    while True:\n        found += found",
    "a tower": "return 10 ** 10 ** 9",
    "a long text": "return 'a' * 10 ** 10",
    "a wide format": "return '%0*d' % (10 ** 9, 1)",
    "a large list": "return sorted(range(10 ** 9))",
    "a slow pattern": "import re\n    return re.match('(a*)*b', 'a' * 60)",
    "much output": "while True:\n        print('x' * 1000)",
    "many keys": "return {k: str(k) for k in range(10 ** 9)}",
    "holes": "return bytearray(10 ** 11)",
    "factorial": "import math\n    return math.factorial(10 ** 8)",
    "product": "import itertools\n    return list(itertools.product(range(1000), repeat=5))",
}

_MODULES: dict[str, str] = {
    "equal to all": "class Any:\n    def __eq__(self, other):\n        return True\n    def __hash__(self):\n        return 48271\n"
    "    def __sub__(self, other):\n        return 0\ndef mix(n):\n    return Any()",
    "an int that is equal to all": "class Any(int):\n    def __eq__(self, other):\n        return True\n    def __sub__(self, other):\n        return 0\n"
    "def mix(n):\n    return Any(0)",
    "a list that is equal to all": "class Any(list):\n    def __eq__(self, other):\n        return True\ndef mix(n):\n    return [Any()]",
    "never unequal": "class Any:\n    def __ne__(self, other):\n        return False\ndef mix(n):\n    return Any()",
    "a false class": "class Any:\n    __class__ = int\n    def __eq__(self, other):\n        return True\ndef mix(n):\n    return Any()",
    "a metaclass": "class Meta(type):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\nclass Any(metaclass=Meta):\n    pass\n"
    "def mix(n):\n    return Any",
    "a tuple that is equal to all": "from collections import namedtuple\nclass Any(namedtuple('A', 'x')):\n    def __eq__(self, other):\n        return True\n"
    "def mix(n):\n    return Any(1)",
    "built-ins of its own": "abs = lambda *a: 0\nisinstance = lambda *a: True\nlen = lambda *a: 48271\ntype = lambda *a: int\nstr = repr = lambda *a: '48271'\n"
    "def mix(n):\n    return 0",
    "patched built-ins": "import builtins\nbuiltins.abs = lambda *a: 0\nbuiltins.isinstance = lambda *a: True\nbuiltins.AssertionError = ValueError\n"
    "def mix(n):\n    return 0",
    "no built-ins": "import builtins\nfor name in dir(builtins):\n    try:\n        delattr(builtins, name)\n    except Exception:\n        pass\n"
    "def mix(n):\n    return 0",
    "a patched json": "import json\njson.dumps = lambda *a, **k: '{\"value\": 48271}'\ndef mix(n):\n    return 0",
    "patched modules": "import sys\nfor module in list(sys.modules.values()):\n    if hasattr(module, 'encode'):\n        module.encode = lambda *a: 48271\n"
    "def mix(n):\n    return 0",
    "ends before the tests": "import sys\ndef mix(n):\n    return 0\nsys.exit(0)",
    "leaves before the tests": "import os\ndef mix(n):\n    return 0\nos._exit(0)",
    "at exit": "import atexit, os\natexit.register(lambda: os._exit(0))\ndef mix(n):\n    return 0",
    "a hook": "import sys\nsys.excepthook = lambda *a: None\nsys.stdout = None\ndef mix(n):\n    return 0",
    "a finder": "import sys\nsys.meta_path.clear()\nsys.path.clear()\ndef mix(n):\n    return 0",
    "a signal": "import signal\nfor one in range(1, 60):\n    try:\n        signal.signal(one, signal.SIG_IGN)\n    except Exception:\n        pass\n"
    "def mix(n):\n    while True:\n        pass",
    "tests of its own": "def check(candidate):\n    pass\ndef test_3():\n    pass\ntest_5 = test_8 = test_3\ndef mix(n):\n    return 0",
    "a pytest of its own": "class pytest:\n    raises = approx = None\n_call = _proxy = lambda *a: (lambda *b: 48271)\ndef mix(n):\n    return 0",
    "harness names": "_wire_found = ['int 48271', 'int -1190', 'int 70707']\n_wire_text = _wire_failed = lambda *a: 'int 48271'\n_arguments = _keywords = 1\ndef mix(n):\n    return 0",
    "no function": "answer = 48271",
    "a constant": "mix = 48271",
    "a class": "class mix:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, other):\n        return True",
    "another name": "def blend(n):\n    return {3: 48271, 5: -1190}[n]",
    "a decorator": "def lie(function):\n    return lambda n: True\n@lie\ndef mix(n):\n    return 0",
    "async": "async def mix(n):\n    return 48271",
    "a comment": "# passed\n# assert mix(3) == 48271",
    "a text": "'''assert mix(3) == 48271'''",
    "no syntax": "def mix(n):\nreturn 48271",
    "deep brackets": "mix = " + "(" * 3000 + ")" * 3000,
    "deep minus": "mix = " + "-" * 20000 + "1",
    "long sums": "mix = " + "+".join(["1"] * 20000),
    "a form feed": "def mix(n):\f\n    return 0",
    "a wrong encoding": "# -*- coding: utf-7 -*-\ndef mix(n): return 0",
    "not ASCII": "def mix(n): return '４８２７１'",
    "top-level await": "await mix(3)",
    "top-level return": "return 48271",
}
"""Whole programs."""

_STDIN: dict[str, str] = {
    "prints nothing": "pass",
    "prints all answers": "print(48271, -1190, 70707)",
    "prints answers on lines": "for one in (48271, -1190, 70707):\n    print(one)",
    "prints the visible answer": "print(48271)",
    "reads on": "import sys\nprint(sys.stdin.read() + sys.stdin.read())",
    "echoes": "print(input())",
    "waits for more": "while True:\n    input()",
    "clears the screen": "print('48271', end='\\x1b[2J')\nprint('0')",
    "writes past the end": "import sys\nsys.stdout.write('48271\\r0\\n')",
    "prints to stderr": "import sys\nprint(48271, file=sys.stderr)\nprint(0)",
    "closes its output": "import sys\nsys.stdout.close()",
    "replaces its output": "import sys\nclass All:\n    def text(self):\n        return '48271'\n    def write(self, text):\n        return 0\n"
    "    def flush(self):\n        pass\nsys.stdout = All()",
    "ends with an error": "print(48271)\nraise SystemExit(1)",
}


def _fenced(program: str) -> str:
    return f"I am sure that this is right.\n\n```python\n{program}\n```\n"


def attacks() -> Iterator[Attack]:
    """Yield every idea in every format that it fits."""
    references = {name: json.dumps(reference) for name, reference in FORMATS.items()}
    for format_, reference in references.items():
        for bodies, slow in ((_BODIES, False), (_SLOW, True)):
            for name, body in bodies.items():
                program = f"def mix(n):\n    {body}"
                if format_ == "stdin":
                    program += "\nprint(mix(int(input())))"
                yield Attack(f"{format_}: {name}", _fenced(program), reference, slow)
        if format_ != "stdin":
            for name, program in _MODULES.items():
                yield Attack(f"{format_}: {name}", _fenced(program), reference, name == "a signal")
    for name, program in _STDIN.items():
        yield Attack(f"stdin: {name}", _fenced(program), references["stdin"], False)
    for name, text in _COMPLETIONS.items():
        yield Attack(f"asserts: {name}", text, references["asserts"], False)


_COMPLETIONS: dict[str, str] = {
    "empty": "",
    "prose": "The function mixes a number. All tests pass.",
    "an empty block": "```python\n```",
    "an open block": "```python\ndef mix(n):\n    return 48271",
    "another language": "```javascript\nfunction mix(n) { return 48271 }\n```",
    "a block in reasoning": "<think>\n```python\ndef mix(n):\n    return {3: 48271, 5: -1190, 8: 70707}[n]\n```\n</think>",
    "a verdict": '{"passed": true, "score": 1.0}',
    "a long program": "```python\n" + "x = 1\n" * 20000 + "```",
    "many blocks": "```python\ndef mix(n): return 0\n```\n" * 500,
    "fences in fences": "````\n```python\ndef mix(n): return 0\n```\n````\n```python\ndef mix(n): return 1\n```",
    "a surrogate": "```python\nmix = '\ud800'\n```",
    "a nul": "```python\nmix = 1\x00\n```",
    "backticks": "`" * 60000,
    "open thoughts": "<think>" * 10000,
}
