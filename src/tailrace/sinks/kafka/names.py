"""The names of tailrace's own resources on the brokers: three topics, and a transactional id for each lane."""

from __future__ import annotations

import re

from attrs import frozen

from tailrace.config.settings import Settings
from tailrace.errors import DeliveryError

_OURS = "__tailrace-"
_TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}")
_SHOWN = 300  # characters of a name that is none
_NOT_FOR_TOPICS = re.compile(r"[^a-zA-Z0-9._-]")


@frozen(kw_only=True)
class Names:
    """The names of one connector.

    Attributes:
        progress: the compacted topic with the progress of each lane.
        history: the topic with the schema history of each lane.
        lease: the topic in which a run says that it is active.
        transactional_prefix: followed by the lane's number, the lane's transactional id.

    """

    progress: str
    history: str
    lease: str
    transactional_prefix: str

    def transactional_id(self, lane: int) -> str:
        """A lane's transactional id: a producer that initialises it fences all others."""
        return f"{self.transactional_prefix}{lane}"

    def check_topic(self, topic: str) -> None:
        """Raise `DeliveryError` if records can't go to a topic: Kafka has no such names, or progress is kept there.

        Topics may follow from what rows contain. Whoever writes rows must not write progress, of this connector or another.
        """
        if not _TOPIC.fullmatch(topic) or topic in {".", ".."}:
            raise DeliveryError(
                f"a record is routed to {topic[:_SHOWN]!r}, which can't be the name of a topic: Kafka takes up to 249 letters, "
                "digits, '.', '_' and '-'; the transforms must give it another topic, or drop it"
            )
        if topic in {self.progress, self.history, self.lease} or topic.startswith(_OURS):
            raise DeliveryError(
                f"a record is routed to the topic {topic}, in which tailrace keeps its progress: the transforms must give it "
                "another topic, or drop it"
            )


def names_of(settings: Settings) -> Names:
    """The configured names, else names derived from `topic.prefix`."""
    prefix = _NOT_FOR_TOPICS.sub("_", settings.topic_prefix)
    return Names(
        progress=settings.tailrace_progress_topic or f"{_OURS}progress.{prefix}",
        history=settings.tailrace_history_topic or f"{_OURS}history.{prefix}",
        lease=f"{settings.tailrace_progress_topic}.lease"
        if settings.tailrace_progress_topic
        else f"{_OURS}lease.{prefix}",
        transactional_prefix=settings.tailrace_transactional_id_prefix or f"tailrace-{prefix}-",
    )
