"""The disk is full, fails or may only be read from some write of `dealctl` on: it says so, and nothing is dealt blind.

The refusals come from below SQLite, to a real `dealctl`; from the one named on nothing is written any more. Exit code,
sentence and hint are what a person sees. Then the disk is well again, and the evening ends with three right boards.
Read next: `evening.py`, `tests/support/recorded_disk.py`, `test_journal_crashes.py` (each statement, in one process).
"""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from driver.catalogue import Kind, entry
from driver.cli.exit_codes import Exit
from driver.errors import JournalUnusable, StoreUnusable
from tests.cli.program import Ran
from tests.faults.evening import AT_ONCE, Evening
from tests.support.figures import Figures
from tests.support.recorded_disk import below, read_log

ERRORS: Final = {
    "full disk": (errno.ENOSPC, r"disk is full|No space left on device|cannot be opened"),
    "disk error": (errno.EIO, r"fails|Input/output error|may be read, but not written|cannot be opened"),
    "read-only disk": (errno.EROFS, r"may only be read|Read-only|may be read, but not written|fails|cannot be opened"),
}
"""What is refused with which error, and what the sentence may say of it, as SQLite or the system tells it."""
SMALL: Final = 3
"""Evenings for each error in `make test`."""
EVERY: Final = 5
"""Of all things done to the folder so many apart are the first that is refused, in `make campaign`.

The smallest write of the journal is seven of them, so no write is passed over.
"""


@pytest.fixture(scope="module")
def there(recorder: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many things a `dealctl` does to its folder when nothing is refused."""
    folder = tmp_path_factory.mktemp("whole")
    evening = Evening(folder)
    with evening.begun():
        ran = evening.deal(**below(recorder, evening.data, log=folder / "log"))
        assert ran.code == Exit.ALL_GOOD, ran.all
        evening.check_three_right_boards()
    return len(read_log(folder / "log"))


def refused_from(first: int, name: str, recorder: Path, folder: Path) -> str:
    """An evening on which the thing of that number is refused, and all that follow; what was said of it."""
    print(f"{name} from {first} on")  # what pytest shows of a failure
    evening = Evening(folder)
    number, sentences = ERRORS[name]
    with evening.begun():
        ran = evening.deal(**below(recorder, evening.data, fails=(first, number)))
        evening.come_to_rest()
        said = "nothing, for all was written"
        if ran.code != Exit.ALL_GOOD:
            said = check_said(ran, sentences, evening)
        if evening.peer.core.truth.motions:
            evening.check_intents()
        evening.finish()
        evening.check_three_right_boards()
    return said


def check_said(ran: Ran, sentences: str, evening: Evening) -> str:
    """One clear sentence, what to do with the hands, and the exit code; the sentence."""
    assert ran.code == Exit.NOT_GOOD, ran.all
    assert "Traceback" not in ran.all
    *_, sentence, hint, code = ran.err.strip().splitlines()
    kinds = (JournalUnusable,) if evening.peer.core.truth.motions else (JournalUnusable, StoreUnusable)
    assert code in [f"({kind.code})" for kind in kinds], f"nothing is said of the board in the machine: {ran.err}"
    assert re.search(sentences, sentence), ran.err
    assert hint == entry(Kind.ERROR, code.strip("()")).hint
    return sentence.replace(str(evening.data), "...")


def evenings(name: str, chosen: Sequence[int], there: int, recorder: Path, folder: Path, figures: Figures) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        said = list(pool.map(lambda first: refused_from(first, name, recorder, folder / str(first)), chosen))
    figures.list(f"`dealctl` said of a {name}", [f"{times} times: {text}" for text, times in Counter(said).items()])
    figures.tell(
        f"points from which a {name} refused all, with no blind motion, one sentence, and three right boards after it",
        f"{len(said)} of {there}",
        aim=f"{len(chosen)}",
        met=len(said) == len(chosen) and len(set(said)) > 0,
    )


@pytest.mark.parametrize("name", ERRORS)
def test_a_disk_that_fails_from_some_write_on_is_said_and_nothing_is_dealt_blind(
    name: str, there: int, recorder: Path, tmp_path: Path, figures: Figures
) -> None:
    chosen = [1 + round(part * (there - 1) / (SMALL + 1)) for part in range(1, SMALL + 1)]
    evenings(name, chosen, there, recorder, tmp_path, figures)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ERRORS)
def test_a_disk_that_fails_from_any_write_on_is_said_and_nothing_is_dealt_blind(
    name: str, there: int, recorder: Path, tmp_path: Path, figures: Figures
) -> None:
    evenings(name, range(1, there + 1, EVERY), there, recorder, tmp_path, figures)
