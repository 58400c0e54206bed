"""The mutants of a module: each is its source with one small change, compiled. Pure.

Changed: comparisons, `and` and `or`, `not`, conditions, arithmetic and set operations, numbers by one, True and False,
`any` and `all`, `min` and `max`, what is returned, named arguments and default values, entries of sets and tables,
cases of a `match`; statements are taken out.
Left alone: texts, annotations, decorators, assertions, `__repr__`, `__all__`, imports, and the fields of classes.
May import: the standard library. Read next: `trial.py`, which runs the tests against each.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto, unique
from types import CodeType
from typing import Any, Final

_SWAPPED: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
_OTHER_NAME: Final = {"any": "all", "all": "any", "min": "max", "max": "min"}
_LEFT_ALONE: Final = (ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)
_NO_PART: Final = frozenset({"annotation", "returns", "decorator_list", "ctx"})
_SHOWN: Final = 90


@unique
class Part(Enum):
    """What of a module takes the place of the right one."""

    BODY = auto()
    """The code of a function or method."""
    DEFAULTS = auto()
    """The default values of a function, as a tuple of a tuple and a dictionary."""
    TABLE = auto()
    """The value of a name of the module."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: in which lines, in which function (its qualified name and first line) or table, and its code."""

    lines: range
    where: str
    first_line: int
    part: Part
    told: str
    code: CodeType


def mutants_of(source: str, filename: str) -> Iterator[Mutant]:
    """Every mutant of a module's source."""
    tree = ast.parse(source, filename)
    for statement in tree.body:
        yield from _of_statement(tree, statement, "", filename)


def _of_statement(tree: ast.Module, statement: ast.stmt, inside: str, filename: str) -> Iterator[Mutant]:
    match statement:
        case ast.ClassDef():
            for part in statement.body:
                if isinstance(part, ast.ClassDef | ast.FunctionDef):
                    yield from _of_statement(tree, part, f"{inside}{statement.name}.", filename)
        case ast.FunctionDef() if statement.name != "__repr__":
            where = inside + statement.name
            first_line = min([statement.lineno, *(one.lineno for one in statement.decorator_list)])
            for lines, told in _changed(statement, "body"):
                code = _found(compile(tree, filename, "exec"), where, first_line)
                yield Mutant(lines, where, first_line, Part.BODY, told, code)
            for lines, told in _changed(statement.args, "defaults", "kw_defaults"):
                code = _expression(_defaults(statement.args), filename)
                yield Mutant(lines, where, first_line, Part.DEFAULTS, told, code)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if not inside:
            if name.startswith("__") or statement.value is None:
                return
            for lines, told in _changed(statement, "value"):
                code = _expression(statement.value, filename)
                yield Mutant(lines, name, statement.lineno, Part.TABLE, told, code)


def _changed(node: ast.AST, *fields: str) -> Iterator[tuple[range, str]]:
    """Changes the tree below in one place after the other, and puts each back: the lines, and what was changed."""
    for field in fields or node._fields:
        if field in _NO_PART:
            continue
        value = getattr(node, field, None)
        holder: Any = value if isinstance(value, list) else vars(node)
        for key in range(len(value)) if isinstance(value, list) else (field,):
            part = holder[key]
            if not isinstance(part, ast.AST) or isinstance(part, _LEFT_ALONE):
                continue
            for other in _alternatives(part):
                ast.fix_missing_locations(ast.copy_location(other, part))
                holder[key] = other
                yield _lines(part), _told(part, other)
                holder[key] = part
            yield from _changed(part)


def _alternatives(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    match node:
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                yield _with(node, ops=[*ops[:at], _SWAPPED[type(op)](), *ops[at + 1 :]])
        case ast.BoolOp(op=op) | ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _SWAPPED:
            yield _with(node, op=_SWAPPED[type(op)]())
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield ast.Return(ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Call(func=ast.Name(id=name)) if name in _OTHER_NAME:
            yield _with(node, func=ast.Name(_OTHER_NAME[name], ast.Load()))
        case ast.Set(elts=elements) if len(elements) > 1:
            for at in range(len(elements)):
                yield _with(node, elts=[*elements[:at], *elements[at + 1 :]])
        case ast.Dict(keys=keys, values=values):
            for at in range(len(keys)):
                yield _with(node, keys=[*keys[:at], *keys[at + 1 :]], values=[*values[:at], *values[at + 1 :]])
        case ast.match_case():
            yield _with(node, guard=ast.Constant(False))
        case ast.comprehension(ifs=[condition, *others]):
            yield _with(node, ifs=[_denied(condition), *others])
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if not isinstance(test, ast.Compare | ast.UnaryOp):
                yield _with(node, test=_denied(test))
    if isinstance(node, ast.Call):
        for word in node.keywords:
            if word.arg is not None:
                yield _with(node, keywords=[other for other in node.keywords if other is not word])
    if isinstance(node, ast.stmt) and _can_go(node):
        # Not simply left out: a name that is assigned stays local, a generator stays one.
        yield ast.If(ast.Constant(False), [node], [])


def _can_go(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=value):
            return not isinstance(value, ast.Constant)
        case ast.Assign(targets=[target]):
            return any(isinstance(part, ast.Attribute | ast.Subscript) for part in ast.walk(target))
        case ast.Return(value=None):
            return True
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Delete)


def _denied(condition: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), condition)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _lines(node: ast.AST) -> range:
    """The lines by which one knows whether a node is reached: all of it, of a block only its head."""
    match node:
        case ast.match_case():
            return range(node.pattern.lineno, node.body[-1].lineno + 1)
        case ast.If(test=test) | ast.While(test=test) | ast.comprehension(iter=test):
            node = test
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)  # type: ignore[attr-defined]


def _told(node: ast.AST, other: ast.AST) -> str:
    match node, other:
        case _, ast.If(body=[inside]) if inside is node:
            return f"taken out: {_text(node)}"
        case ast.Set(elts=[*whole]), ast.Set(elts=[*rest]):
            return f"without the entry {next(_text(one) for one in whole if one not in rest)}"
        case ast.Dict(keys=keys, values=[*whole]), ast.Dict(values=[*rest]) if len(rest) < len(whole):
            at = next(at for at, one in enumerate(whole) if one not in rest)
            return f"without the entry {_text(keys[at] or whole[at])}"
    return f"{_text(node)} → {_text(other)}"


def _text(node: ast.AST) -> str:
    match node:
        case ast.If(test=test) | ast.While(test=test):
            text = f"{type(node).__name__.lower()} {ast.unparse(test)}"
        case ast.match_case(pattern=pattern, guard=guard):
            text = f"case {ast.unparse(pattern)}" + (f" if {ast.unparse(guard)}" if guard else "")
        case _:
            text = ast.unparse(node).strip()
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _found(code: CodeType, where: str, first_line: int) -> CodeType:
    """The code of a function, by its qualified name and first line, in that of its module."""
    inside = [code]
    while inside:
        code = inside.pop()
        if (code.co_qualname, code.co_firstlineno) == (where, first_line):
            return code
        inside += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    raise LookupError(f"no code of {where} at line {first_line}")


def _defaults(args: ast.arguments) -> ast.expr:
    named = [
        (arg.arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value is not None
    ]
    keys: list[ast.expr | None] = [ast.Constant(name) for name, _ in named]
    return ast.Tuple([ast.Tuple(args.defaults, ast.Load()), ast.Dict(keys, [value for _, value in named])], ast.Load())


def _expression(value: ast.expr, filename: str) -> CodeType:
    expression = ast.fix_missing_locations(ast.Expression(value))
    return compile(expression, filename, "eval")
