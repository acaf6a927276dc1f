"""Each test is a region of the program."""

from __future__ import annotations

import contextlib
from typing import Generator

import pytest

from .. import _annotations

# Names of regions are cut off behind 256 bytes.
_LONGEST = 240


def region_name(nodeid: str) -> str:
    """The name of the region of a test: its node id, or the end of it."""
    return nodeid.encode("utf-8", "replace")[-_LONGEST:].decode("utf-8", "ignore")


class Marks:
    """Begins a region with each phase of a test, since MPI may be initialized in any of them."""

    @staticmethod
    def _marked(item: pytest.Item) -> Generator[None, None, None]:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_annotations.region(region_name(item.nodeid)))
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._marked(item)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._marked(item)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._marked(item)
