"""A MySQL server that replicates another one, with GTIDs."""

from __future__ import annotations

from tailrace_standins.servers.mysql_server import Server


def replicate(source: Server, replica: Server, *, files: int = 0) -> None:
    """Have a fresh server follow another one from its first transaction on; `files`: log files that it begins before."""
    replica.sql("RESET BINARY LOGS AND GTIDS" + "; FLUSH BINARY LOGS" * files)
    replica.sql(
        f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={source.port}, SOURCE_USER='root', "
        "SOURCE_AUTO_POSITION=1, SOURCE_SSL=1, SOURCE_CONNECT_RETRY=1; START REPLICA"
    )


def catch_up(source: Server, replica: Server) -> None:
    """Wait until the replica has what the source has."""
    replica.sql(f"SELECT WAIT_FOR_EXECUTED_GTID_SET('{source.variable('gtid_executed')}', 60)")


def follow(source: Server, replica: Server) -> None:
    """Wait until the replica has what the source has, and see that it has nothing else."""
    catch_up(source, replica)
    assert replica.variable("gtid_executed") == source.variable("gtid_executed")
