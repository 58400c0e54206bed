"""What holds for the contract suite as a whole: names that choose an endpoint, few needs, a machine named by its URL.

Read next: `tests/contract/conftest.py`.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from firmware_sim.core import SimMachine
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.packs import shuffled_pack
from tests.contract.conftest import ENDPOINTS

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "tests" / "contract"
ENDPOINT_IDS = ("memory", "pty", "tcp", "usb")
NEEDED_AT_MOST = {"pytest", "pytest_mock", "hypothesis", "pytest_timeout"}
OWN = {"driver", "firmware_sim", "protocol", "tests"}


def modules_used(start: Path) -> Iterator[Path]:
    """The modules of a folder and, through them, every module of `tests` that they use."""
    waiting, seen = sorted(start.glob("*.py")), set[Path]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        yield path
        for name in imports_of(path):
            if name.startswith("tests."):
                waiting.append(ROOT / f"{name.replace('.', '/')}.py")


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def names_to_choose_by() -> Iterator[str]:
    """What `-k` looks at besides ids: names of files, classes and tests."""
    for path in SUITE.glob("*.py"):
        yield path.stem
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith("test"):
                yield node.name


def test_no_name_of_a_contract_test_holds_the_id_of_an_endpoint() -> None:
    """Else `-k pty` would choose a test over every endpoint."""
    names = list(names_to_choose_by())

    assert len(names) > 40
    assert [name for name in names if any(word in name.lower() for word in ENDPOINT_IDS)] == []


def test_the_contract_suite_needs_pytest_its_three_plugins_and_nothing_else() -> None:
    used = {name.partition(".")[0] for path in modules_used(SUITE) for name in imports_of(path)}

    assert used - sys.stdlib_module_names - OWN <= NEEDED_AT_MOST


def test_every_case_runs_over_every_endpoint() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", str(SUITE)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=60)
    cases: dict[str, set[str]] = {endpoint: set() for endpoint in ENDPOINTS}
    for line in listed.stdout.splitlines():
        test, _, parameters = line.removesuffix("]").partition("[")
        words = parameters.split("-")
        for endpoint in set(words) & set(ENDPOINTS):
            cases[endpoint].add(f"{test} {[word for word in words if word != endpoint]}")

    assert set(ENDPOINTS) == set(ENDPOINT_IDS)
    assert len(cases["memory"]) > 60
    assert all(found == cases["memory"] for found in cases.values())


def test_with_a_machine_named_the_tests_that_only_read_run_against_it_and_move_nothing() -> None:
    core = SimMachine()
    core.mechanism.load_pack(shuffled_pack(1))
    core.mechanism.slot.insert_board(1)
    with TcpEndpoint(core) as endpoint:
        chosen = " and ".join(f"not {word}" for word in ENDPOINT_IDS)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SUITE / "test_opening.py")]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        done = subprocess.run(
            [*command, "--machine", endpoint.url, "-k", chosen],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            timeout=60,
            env=environment,
        )

    found = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0, done.stdout
    assert found is not None
    assert int(found[1]) == 5
    assert core.counts.frames_in > 20
    assert core.truth.motions == []
