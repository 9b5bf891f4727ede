"""Which worker runs which file: as xdist's `loadfile`, without looking through all that was handed out after each test.

Files that compile the same functions with numba go to one worker, so that only one compiles them where no cache has them yet.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from xdist.scheduler import LoadFileScheduling

TOGETHER = {f"tests/connectors/mysql/{folder}": "tests/connectors/mysql" for folder in ("log", "rows")}


class Files(LoadFileScheduling):  # type: ignore[misc]
    """A worker gets its next file when at most two tests of the one before are left."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        return TOGETHER.get(file.rpartition("/")[0], file)

    def _assign_work_unit(self, node: Any) -> None:
        file, tests = self.workqueue.popitem(last=False)
        self.assigned_work[node][file] = tests
        node.send_runtest_some([self._numbers[each] for each, is_done in tests.items() if not is_done])

    def _reschedule(self, node: Any) -> None:
        files = self.assigned_work[node]
        for file in [file for file, tests in files.items() if all(tests.values())]:
            del files[file]
        super()._reschedule(node)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        assert self.collection is not None
        return {each: number for number, each in enumerate(self.collection)}
