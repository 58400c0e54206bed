"""The small changes of mutation testing: what is changed, what is left alone, and that each is one change that runs.

Read next: `tests/mutation/changes.py`.
"""

from __future__ import annotations

import inspect
from textwrap import dedent

import pytest

from tests.mutation.changes import Mutant, Part, mutants_of


def told(source: str) -> list[str]:
    return [mutant.told for mutant in mutants_of(dedent(source), "module.py")]


def run(source: str, mutant: Mutant, *arguments: object) -> object:
    """What the mutant of the function `f` gives."""
    space: dict[str, object] = {}
    exec(compile(dedent(source), "module.py", "exec"), space)
    function = space["f"]
    assert inspect.isfunction(function)
    function.__code__ = mutant.code
    return function(*arguments)


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        ("return a < 3", ["return a < 3 → return None", "a < 3 → a <= 3", "3 → 4", "3 → 2"]),
        ("a.b = True", ["taken out: a.b = True", "True → False"]),
        ("a += 1", ["a += 1 → a -= 1", "taken out: a += 1", "1 → 2", "1 → 0"]),
        ("a(x=b)", ["taken out: a(x=b)", "a(x=b) → a()"]),
        ("b = a in {c, d}", ["a in {c, d} → a not in {c, d}", "without the entry c", "without the entry d"]),
        ("raise a", ["taken out: raise a"]),
        ("return not any(a)", ["return not any(a) → return None", "not any(a) → any(a)", "any(a) → all(a)"]),
    ],
)
def test_each_place_is_changed_in_each_way(body: str, changes: list[str]) -> None:
    assert told(f"def f(a):\n    {body}\n") == changes


@pytest.mark.parametrize(
    "source",
    [
        '"""A text."""\nimport os\n__all__ = {"a", "b"}',
        "def f(a: X[1] = None) -> Y[2]:\n    '''Text.'''\n    assert a > 1\n    b = f'{a + 1}'",
        "class C:\n    a: int = 1\n    b = True\n    def __repr__(self):\n        return self.a + 1",
        "@given(1)\ndef f():\n    pass",
    ],
)
def test_texts_annotations_assertions_reprs_and_the_fields_of_classes_are_left_alone(source: str) -> None:
    assert told(source) == []


def test_each_mutant_is_one_change_that_takes_the_place_of_the_function() -> None:
    source = """
        def f(a, b):
            if a and b:
                return a + b
            return 0
    """
    found = {mutant.told: run(source, mutant, 3, 0) for mutant in mutants_of(dedent(source), "module.py")}
    assert found == {
        "if a and b → if not (a and b)": 3,
        "a and b → a or b": 3,
        "return a + b → return None": 0,
        "a + b → a - b": 0,
        "return 0 → return None": None,
        "0 → 1": 1,
        "0 → -1": -1,
    }


def test_a_generator_stays_one_and_a_method_keeps_its_names() -> None:
    source = """
        def f(a):
            yield a
            yield 5
    """
    taken_out, *others = mutants_of(dedent(source), "module.py")
    assert taken_out.told == "taken out: yield a"
    assert list(run(source, taken_out, 1)) == [5]  # type: ignore[call-overload]
    assert len(others) == 3


def test_default_values_and_tables_are_changed_by_their_values() -> None:
    mutants = list(mutants_of("TABLE = {1: 'a', 2: 'b'}\ndef f(a, b=1, *, c=True): ...\n", "module.py"))
    assert [(mutant.part, mutant.where, eval(mutant.code)) for mutant in mutants if mutant.part is not Part.BODY] == [
        (Part.TABLE, "TABLE", {2: "b"}),
        (Part.TABLE, "TABLE", {1: "a"}),
        (Part.TABLE, "TABLE", {2: "b"}),
        (Part.TABLE, "TABLE", {0: "a", 2: "b"}),
        (Part.TABLE, "TABLE", {1: "a", 3: "b"}),
        (Part.TABLE, "TABLE", {1: "b"}),
        (Part.DEFAULTS, "f", ((2,), {"c": True})),
        (Part.DEFAULTS, "f", ((0,), {"c": True})),
        (Part.DEFAULTS, "f", ((1,), {"c": False})),
    ]
