"""The second reader of the protocol, compiled once for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.c_code import NoCompiler
from tests.support.c_decoder import compile_decoder


@pytest.fixture(scope="session")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled C decoder; without a compiler the test is skipped."""
    try:
        return compile_decoder(tmp_path_factory.mktemp("decoder"))
    except NoCompiler as reason:
        pytest.skip(str(reason))
