"""Views and functions of availability groups: the group, the states of its replicas and databases, the primary.

Columns about the log that is sent between replicas are left out, because nothing is sent.

Sources: "Always On availability groups catalog views",
https://learn.microsoft.com/sql/relational-databases/system-catalog-views/always-on-availability-groups-catalog-views-transact-sql;
"sys.dm_hadr_database_replica_states",
https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-hadr-database-replica-states-transact-sql;
"sys.fn_hadr_is_primary_replica",
https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-hadr-is-primary-replica-transact-sql
"""

# ruff: noqa: E501  # lists of columns are not wrapped
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.access import VIEW_SERVER_STATE
from tailrace_standins.sqlserver.engine.availability import Access, AvailabilityGroup, Replica
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.metadata.views import ViewRows, no_rows, view
from tailrace_standins.sqlserver.engine.system import SystemFunction, SystemObjects
from tailrace_standins.sqlserver.values import Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_SYNCHRONIZED: Final = (2, "SYNCHRONIZED")
_HEALTHY: Final = (2, "HEALTHY")
_SECONDARY_ACCESS: Final = {Access.NO: "NO", Access.READ_ONLY: "READ_ONLY", Access.ALL: "ALL"}


def local(session: EngineSession, group: AvailabilityGroup) -> Replica:
    """The replica that the session's instance hosts."""
    return session.replica or group.primary


def of_database(session: EngineSession, database: Database) -> tuple[Value, Value]:
    """replica_id and group_database_id of sys.databases."""
    group = session.engine.availability
    if group is None or not group.has(database):
        return None, None
    return local(session, group).id, group.database_id(database)


def _groups(session: EngineSession, _database: Database) -> ViewRows:
    group = session.engine.availability
    if group is not None:
        yield (group.id, group.name, 3, 30000, 0, "PRIMARY", 0, 0, 0, 0, 2, "NONE", 0)


def _replicas(session: EngineSession, _database: Database) -> ViewRows:
    group = session.engine.availability
    for r in group.replicas if group is not None else ():
        primary = (2, "ALL") if r.takes_read_intent else (3, "READ_WRITE")
        secondary = (r.access.value, _SECONDARY_ACCESS[r.access])
        yield (r.id, r.group.id, r.name, f"TCP://{r.name}:5022", 1, "SYNCHRONOUS_COMMIT", 1, "MANUAL", 10, *primary, *secondary)


def _group_databases(session: EngineSession, _database: Database) -> ViewRows:
    group = session.engine.availability
    for d in session.databases():
        if group is not None and group.has(d):
            yield (group.id, group.database_id(d), d.name)


def _shown(session: EngineSession) -> Iterator[tuple[AvailabilityGroup, Replica, bool]]:
    """Replicas with whether they are local: the primary shows both, a secondary itself."""
    group = session.engine.availability
    if group is None:
        return
    for replica in group.replicas:
        is_local = replica is local(session, group)
        if is_local or not session.is_secondary:
            yield group, replica, is_local


def _replica_states(session: EngineSession, _database: Database) -> ViewRows:
    for group, r, is_local in _shown(session):
        role = (r.role.value, r.role.name)
        operational = (2, "ONLINE") if is_local else (None, None)
        yield (r.id, group.id, int(is_local), *role, *operational, 1, "CONNECTED", 1, "ONLINE", *_HEALTHY)


def _database_states(session: EngineSession, _database: Database) -> ViewRows:
    for group, r, is_local in _shown(session):
        for d in session.databases():
            if group.has(d):
                ids = (d.id, group.id, r.id, group.database_id(d))
                yield (*ids, int(is_local), int(not r.is_secondary), *_SYNCHRONIZED, 1, *_HEALTHY, 0, "ONLINE", 0, None, None, 0)


def _is_primary(session: EngineSession, _database: Database, name: str | None) -> Value:
    """sys.fn_hadr_is_primary_replica: 0 also where the database belongs to no group, as the page has it."""
    group, found = session.engine.availability, session.known(name or "")
    return int(group is not None and found is not None and group.has(found) and not session.is_secondary)


_VIEWS: Final = (
    view("availability_groups", "group_id:g name:n failure_condition_level:i health_check_timeout:i automated_backup_preference:t automated_backup_preference_desc:x basic_features:b dtc_support:b db_failover:b is_distributed:b cluster_type:t cluster_type_desc:x required_synchronized_secondaries_to_commit:i", _groups, is_live=True),
    view("availability_replicas", "replica_id:g group_id:g replica_server_name:n endpoint_url:n availability_mode:t availability_mode_desc:x failover_mode:t failover_mode_desc:x session_timeout:i primary_role_allow_connections:t primary_role_allow_connections_desc:x secondary_role_allow_connections:t secondary_role_allow_connections_desc:x", _replicas, is_live=True),
    view("availability_group_listeners", "group_id:g listener_id:x dns_name:n port:i is_conformant:b", no_rows),
    view("availability_databases_cluster", "group_id:g group_database_id:g database_name:n", _group_databases, is_live=True),
    view("dm_hadr_availability_replica_states", "replica_id:g group_id:g is_local:b role:t role_desc:x operational_state:t operational_state_desc:x connected_state:t connected_state_desc:x recovery_health:t recovery_health_desc:x synchronization_health:t synchronization_health_desc:x", _replica_states, is_live=True, permission=VIEW_SERVER_STATE),
    view("dm_hadr_database_replica_states", "database_id:i group_id:g replica_id:g group_database_id:g is_local:b is_primary_replica:b synchronization_state:t synchronization_state_desc:x is_commit_participant:b synchronization_health:t synchronization_health_desc:x database_state:t database_state_desc:x is_suspended:b suspend_reason:t suspend_reason_desc:x secondary_lag_seconds:l", _database_states, is_live=True, permission=VIEW_SERVER_STATE),
)  # fmt: skip


def register(system: SystemObjects) -> None:
    """Make the views and the function known."""
    system.add("sys", *_VIEWS, SystemFunction("fn_hadr_is_primary_replica", (types.SYSNAME,), types.BIT, _is_primary))
