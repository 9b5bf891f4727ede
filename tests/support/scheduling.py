"""Which worker runs which file: as xdist's `loadfile`, without looking through all that was handed out after each test."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from xdist.scheduler import LoadFileScheduling


class Files(LoadFileScheduling):  # type: ignore[misc]
    """A worker gets its next file when at most two tests of the one before are left."""

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
