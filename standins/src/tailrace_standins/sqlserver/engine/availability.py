"""An Always On availability group of two replicas: a primary, and a readable secondary.

    group = AvailabilityGroup(engine, ["inventory"])
    with StandIn(group.primary) as first, StandIn(group.secondary) as second:
        group.secondary.access = Access.READ_ONLY      # ApplicationIntent=ReadOnly is required (978)
        group.fail_over()                              # the replicas exchange their roles, all sessions end (596)

Both replicas share one engine, so the secondary has no delay: it sees every commit immediately. It has the group's databases,
and system databases of its own, which are empty.

Sources: "Offload read-only workload to secondary replica of an Always On availability group",
https://learn.microsoft.com/sql/database-engine/availability-groups/windows/active-secondaries-readable-secondary-replicas-always-on-availability-groups;
"Types of client connections to replicas",
https://learn.microsoft.com/sql/database-engine/availability-groups/windows/about-client-connection-access-to-availability-replicas-sql-server
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Final
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.session import Login

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.server import Engine
    from tailrace_standins.sqlserver.engine.session import EngineSession

PRIMARY_NAME: Final = "tailrace"  # as @@SERVERNAME says without a group
_SECONDARY_NAME: Final = "tailrace2"


class Role(Enum):
    """As sys.dm_hadr_availability_replica_states numbers them."""

    PRIMARY = 1
    SECONDARY = 2


class Access(Enum):
    """Whom a replica lets in while it is secondary, as sys.availability_replicas numbers it."""

    NO = 0
    READ_ONLY = 1
    ALL = 2


class Replica:
    """A server instance of the group, from which the wire gets sessions.

    Attributes:
        name: @@SERVERNAME.
        access: which clients may use the group's databases while it is secondary.
        takes_read_intent: whether it lets read-intent connections in while it is primary.

    """

    def __init__(self, group: AvailabilityGroup, name: str, role: Role) -> None:
        self.group = group
        self.name = name
        self.role = role
        self.id: Final = uuid4()
        self.access = Access.ALL
        self.takes_read_intent = True

    @property
    def is_secondary(self) -> bool:
        """Whether it is the readable secondary now."""
        return self.role is Role.SECONDARY

    def login(self, login: Login) -> EngineSession:
        """A new session; raises 18456, 4060, 976, 978 and 979."""
        return self.group.engine.login(login, self)

    def has(self, database: Database) -> bool:
        """Whether the database is there: a secondary has the group's, and those of the system."""
        return not self.is_secondary or database.is_system or self.group.has(database)

    def admit(self, database: Database, login: Login) -> None:
        """Raises 976, 978 or 979 where a database of the group is not for such a connection."""
        if not self.group.has(database):
            return
        if not self.is_secondary:
            if login.read_only and not self.takes_read_intent:
                raise error(979, database.name)
        elif self.access is Access.NO:
            raise error(976, database.name)
        elif self.access is Access.READ_ONLY and not login.read_only:
            raise error(978, database.name)


class AvailabilityGroup:
    """A group with databases of an engine; there is one at most to an engine.

    Args:
        engine: whose databases they are. Its own `login` remains a way to the primary.
        databases: their names.
        name: the group's.

    """

    def __init__(self, engine: Engine, databases: Iterable[str], name: str = "ag1") -> None:
        self.engine = engine
        self.name = name
        self.id: Final = uuid4()
        self._databases = {engine.catalog.database(each).id for each in databases}
        self.replicas: Final = (
            Replica(self, PRIMARY_NAME, Role.PRIMARY),
            Replica(self, _SECONDARY_NAME, Role.SECONDARY),
        )
        engine.availability = self

    @property
    def primary(self) -> Replica:
        """The replica that writes."""
        return next(replica for replica in self.replicas if not replica.is_secondary)

    @property
    def secondary(self) -> Replica:
        """The replica that reads."""
        return next(replica for replica in self.replicas if replica.is_secondary)

    def has(self, database: Database) -> bool:
        """Whether the database belongs to the group."""
        return database.id in self._databases

    def database_id(self, database: Database) -> UUID:
        """group_database_id: the same on both replicas."""
        return uuid5(NAMESPACE_OID, f"{self.id} {database.id}")

    def add(self, database: str) -> None:
        """ALTER AVAILABILITY GROUP … ADD DATABASE; raises 911."""
        self._databases.add(self.engine.catalog.database(database).id)

    def fail_over(self) -> None:
        """The replicas change their roles; the sessions of both end: whatever they ask for next is 596."""
        for replica in self.replicas:
            replica.role = Role.PRIMARY if replica.is_secondary else Role.SECONDARY
        for session in list(self.engine.sessions.values()):
            if session.replica is not None:
                session.kill()
