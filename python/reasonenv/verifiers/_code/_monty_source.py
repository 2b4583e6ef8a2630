"""Programs rewritten for the runtime `monty`, which has no `input`, no `exit` and only parts of `sys`."""

import ast
import re
from functools import lru_cache

from reasonenv.verifiers._code._source import parse, unparse
from reasonenv.verifiers._code._streams import PROMPT_END, PROMPT_START

_INPUT = f"""
from re import error as EOFError
class _Stdin:
    def __init__(self, lines, at, empty):
        self._lines = lines
        self._at = at
        self._empty = empty
    def readline(self):
        at = self._at[0]
        if at >= len(self._lines):
            return self._empty
        self._at[0] = at + 1
        return self._lines[at]
    def readlines(self):
        rest = self._lines[self._at[0]:]
        self._at[0] = len(self._lines)
        return rest
    def read(self, size=-1):
        found = self._empty.join(self.readlines())
        if size is None or size < 0 or size >= len(found):
            return found
        self._lines.append(found[size:])
        self._at[0] = len(self._lines) - 1
        return found[:size]
    def __iter__(self):
        return self
    def __next__(self):
        if self._at[0] >= len(self._lines):
            raise StopIteration
        return self.readline()
    def isatty(self):
        return False
    def close(self):
        pass
    def __enter__(self):
        return self
    def __exit__(self, *raised):
        return False
def _lines(text):
    lines = text.split("\\n")
    last = lines.pop()
    lines = [line + "\\n" for line in lines]
    if last:
        lines.append(last)
    return lines
_stdin = _Stdin(_lines(_text), [0], "")
def input(prompt=""):
    if prompt != "":
        print("{PROMPT_START}" + str(prompt) + "{PROMPT_END}", end="")
    line = _stdin.readline()
    if line == "":
        raise EOFError("EOF when reading a line")
    return line[:-1] if line[-1] == "\\n" else line
"""
_EXIT = """
def exit(code=None):
    if code is None or code == 0:
        raise SystemExit
    raise SystemExit(str(code))
quit = exit
"""
_SYS = """
import sys as _real_sys
class _Stdout:
    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str")
        print(text, end="")
        return len(text)
    def writelines(self, lines):
        for line in lines:
            self.write(line)
    def flush(self):
        pass
    def isatty(self):
        return False
class _Stderr:
    def write(self, text):
        return len(text)
    def writelines(self, lines):
        pass
    def flush(self):
        pass
    def isatty(self):
        return False
class _Buffer:
    def write(self, data):
        print(data.decode(), end="")
        return len(data)
    def flush(self):
        pass
class _Sys:
    def __init__(self):
        self.stdout = _Stdout()
        self.stdout.buffer = _Buffer()
        self.stderr = _Stderr()
        self.stdin = None
        self.maxsize = _real_sys.maxsize
        self.version_info = _real_sys.version_info
        self.argv = ["program.py"]
        self.exit = exit
    def setrecursionlimit(self, limit):
        pass
    def getrecursionlimit(self):
        return 1000
    def set_int_max_str_digits(self, digits):
        pass
    def intern(self, text):
        return text
_sys = _Sys()
def _print(*values, sep=" ", end="\\n", file=None, flush=False):
    if file is None or file is _sys.stdout:
        print(*values, sep=sep, end=end)
    elif file is not _sys.stderr:
        raise NotImplementedError("other files of print are not supported")
"""
_WITH_STDIN = "_sys.stdin = _stdin\n"
_WITH_BUFFER = '_stdin.buffer = _Stdin([line.encode() for line in _lines(_text)], _stdin._at, b"")\n'

_IGNORED = (
    *(
        "bool",
        "class_getitem",
        "del",
        "delattr",
        "format",
        "ge",
        "getattr",
        "getattribute",
        "gt",
        "iadd",
        "iand",
    ),
    *(
        "ifloordiv",
        "ilshift",
        "imatmul",
        "imod",
        "imul",
        "ior",
        "ipow",
        "irshift",
        "isub",
        "itruediv",
        "ixor",
    ),
    *("le", "len", "lt", "new", "reversed", "setattr"),
)
"""Special methods that the runtime never calls."""
_MENTIONS = re.compile(rf"\b(?:sys|exit|quit|locals|SystemExit|open|__(?:{'|'.join(_IGNORED)})__)\b")
_ATTRIBUTES = re.compile(r"\bsys\s*\.\s*(\w+)|\b(sys[ \t]+(?:as|import)|sys[ \t]*[^.\s\w])")
"""Finds what a program may use of `sys`, if only to find too much."""
_DEVICES = (0, "/dev/stdin")


class MissingError(Exception):
    """Raised for what the runtime lacks and would not report itself; its message names it."""


def adapted(source: str, stdin: str | None) -> tuple[str, dict[str, str]]:
    """Return a program that runs in the runtime, and the values that it needs.

    Raises:
        MissingError: The runtime lacks what the program needs.
    """
    return _adapted(source, stdin is not None), {} if stdin is None else {"_text": stdin}


@lru_cache(maxsize=64)
def _adapted(source: str, reads: bool) -> str:
    parts = [_INPUT] if reads else []
    if _MENTIONS.search(source):
        try:
            tree = parse(source)
        except SyntaxError:
            return source  # the runtime reports it
        rewriter = _Rewriter(reads=reads, light=reads and set(_ATTRIBUTES.findall(source)) <= {("stdin", "")})
        rewritten = rewriter.visit(tree)
        if rewriter.uses_exit or rewriter.uses_sys:
            parts.append(_EXIT)
        if rewriter.uses_sys:
            parts += [] if reads else ['_text = ""', _INPUT]
            parts += [_SYS, _WITH_STDIN]
        if "buffer" in source and rewriter.changed:
            parts.append(_WITH_BUFFER)
        if rewriter.changed:
            source = unparse(ast.fix_missing_locations(rewritten))
    return "".join([*parts, source])


class _Rewriter(ast.NodeTransformer):
    """Puts our streams and `sys` in the place of those that the runtime has."""

    def __init__(self, *, reads: bool, light: bool) -> None:
        self._reads = reads
        self._light = light
        """True if the program uses nothing of `sys` but `stdin`."""
        self.uses_sys = self.uses_exit = self.changed = False

    def _sys(self, *attributes: str) -> ast.expr:
        self.changed = True
        if self._light and attributes == ("stdin",):
            return ast.Name("_stdin", ast.Load())
        self.uses_sys = True
        found: ast.expr = ast.Name("_sys", ast.Load())
        for one in attributes:
            found = ast.Attribute(found, one, ast.Load())
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name.startswith("__") and node.name.strip("_") in _IGNORED:
            raise MissingError(node.name)
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> ast.stmt | list[ast.stmt]:
        if self._light:
            return node
        found: list[ast.stmt] = []
        for one in node.names:
            if one.name == "sys":
                found.append(ast.Assign([ast.Name(one.asname or "sys", ast.Store())], self._sys()))
            else:
                found.append(ast.Import([one]))
        return found

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        if node.module != "sys" or node.names[0].name == "*":
            return node
        return [
            ast.Assign([ast.Name(one.asname or one.name, ast.Store())], self._sys(one.name))
            for one in node.names
        ]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(
                value=ast.Name(id="sys"), attr="stdin" | "stdout" | "stderr" as name, ctx=context
            ):
                if not isinstance(context, ast.Load):
                    raise MissingError(f"assignment to sys.{name}")
                if self._light:
                    return self._sys(name)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "locals":
            raise MissingError("locals")
        self.uses_exit = self.uses_exit or node.id in ("exit", "quit")
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        match node.exc:
            case ast.Call(func=ast.Name(id="SystemExit"), args=args, keywords=[]):
                self.uses_exit = self.changed = True
                called = ast.Call(ast.Name("exit", ast.Load()), args, [])
                return ast.Expr(self.generic_visit(called))  # type: ignore[arg-type]  # an expression
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="print")) if any(one.arg == "file" for one in node.keywords):
                self._sys()
                node.func = ast.Name("_print", ast.Load())
            case ast.Call(func=ast.Name(id="open"), args=[ast.Constant(value=place)], keywords=[]) if (
                self._reads and place in _DEVICES and not isinstance(place, bool)
            ):
                return self._sys("stdin")
        return self.generic_visit(node)
