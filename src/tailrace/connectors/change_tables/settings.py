"""What the settings of all connectors with change tables have."""

from __future__ import annotations

from attrs import frozen

from tailrace.config.settings import Settings


@frozen(kw_only=True)
class ChangeTableSettings(Settings):
    """The configuration of a connector with change tables, checked."""

    snapshot_isolation_mode: str | None

    @property
    def lock_timeout_is_final(self) -> bool:
        """Whether a snapshot fails if a lock is not granted in time, instead of trying again."""
        return self.is_given("snapshot.lock.timeout.ms") or self.snapshot_isolation_mode is not None
