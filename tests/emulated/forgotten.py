"""What umockdev's preload library 0.17 leaves open in this process, and takes no more notice of.

For each open of a node that is not emulated, and for each that is refused, it forgets the socket on which it wanted to
ask. May import: the standard library, `tests.conftest`. Read next: `conftest.py`.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tests.conftest import open_descriptors


@contextmanager
def sockets_given_back() -> Iterator[None]:
    """Closes the sockets that it forgot meanwhile."""
    before = open_descriptors()
    try:
        yield
    finally:
        for name, target in open_descriptors().items():
            if target.startswith("socket:") and before.get(name) != target and _is_forgotten(int(name)):
                os.close(int(name))


def _is_forgotten(descriptor: int) -> bool:
    """Whether it is of the kind that asks: without a name, and led nowhere or to where the nodes are answered."""
    with socket.socket(fileno=os.dup(descriptor)) as one:
        if (one.family, one.type) != (socket.AF_UNIX, socket.SOCK_STREAM) or one.getsockname():
            return False
        try:
            return "/ioctl/" in str(one.getpeername())
        except OSError:
            return True
