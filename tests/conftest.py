"""Fixtures for several parts of the suite: real MySQL servers, SQL Servers, fresh databases, a Kafka broker, Spark.

Environment variables name running servers, which are used instead of starting one:
`TAILRACE_TEST_MYSQL_URL=mysql://user:password@host:port`, `TAILRACE_TEST_SQLSERVER_URL=mssql://user:password@host:port` and
`TAILRACE_TEST_DB2_URL=db2://user:password@host:port/DATABASE` (instead of the stand-ins), `TAILRACE_TEST_KAFKA=host:port`.
`TAILRACE_TEST_FAST=1`, which `./run tests --fast` sets, leaves out whole files without importing them, and most random examples.
"""

import fcntl
import gc
import hashlib
import logging
import os
import re
import sys
import tempfile
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from support.machines.available import NO_MACHINES
from tailrace.cli.beginning import lacking_for
from tailrace_standins.servers.db2_server import URL as DB2_URL
from tailrace_standins.servers.db2_server import Database as Db2Database
from tailrace_standins.servers.db2_server import GivenServer as Db2Given
from tailrace_standins.servers.db2_server import StandInOnly
from tailrace_standins.servers.db2_server import StandInServer as Db2StandIn
from tailrace_standins.servers.db2_server import Unavailable as NoDb2
from tailrace_standins.servers.db2_server import server as db2_server_of
from tailrace_standins.servers.java_jars import Unavailable as NoBroker
from tailrace_standins.servers.kafka_broker import Broker, GivenBroker, KafkaBroker
from tailrace_standins.servers.mysql_server import GivenServer, MySqlServer, Server, Unavailable
from tailrace_standins.servers.sqlserver_server import Database as SqlServerDatabase
from tailrace_standins.servers.sqlserver_server import Server as SqlServer
from tailrace_standins.servers.sqlserver_server import StandInServer
from tailrace_standins.servers.sqlserver_server import Unavailable as NoSqlServer
from tailrace_standins.servers.sqlserver_server import server as sql_server

os.environ.update(lacking_for(["db2"]))  # pytest-xdist's workers begin with it
settings.register_profile("suite", deadline=None, print_blob=True)  # the first example of many compiles something
settings.register_profile("fast", settings.get_profile("suite"), max_examples=20)
FAST = bool(os.environ.get("TAILRACE_TEST_FAST"))
settings.load_profile("fast" if FAST else "suite")
TESTS = Path(__file__).parent
TESTS_WITHOUT_SERVER: list[str] = []
TESTS_WITHOUT_BROKER: list[str] = []
TESTS_WITHOUT_SQL_SERVER: list[str] = []
TESTS_WITHOUT_DB2: list[str] = []
ONLY = "only on the stand-in: "
LINES_AT_ONCE = 40  # of a failure
NOT_FAST = {"mysql", "kafka", "spark", "debezium", "drivers", "registry", "slow", "long"}  # `run` leaves the same marks out
WHOLE_FILE = re.compile(rf"^pytestmark = .*\bpytest\.mark\.({'|'.join(sorted(NOT_FAST))})\b", re.MULTILINE)


@pytest.fixture(scope="session", autouse=True)
def declared_types() -> Iterator[None]:
    """No test may compile a kernel for types that it does not declare; what this process did is told at its end."""
    from support.kernel_types import only_declared_types

    with only_declared_types():
        yield


def _started(**options: object) -> Iterator[MySqlServer]:
    try:
        server = MySqlServer(**options).start()
    except Unavailable as reason:
        TESTS_WITHOUT_SERVER.append(str(reason))
        pytest.skip(f"no MySQL server: {reason}")
    try:
        yield server
    finally:
        server.discard()


@pytest.fixture(scope="session")
def mysql_server() -> Iterator[Server]:
    """A server with GTIDs and full row metadata."""
    url = os.environ.get("TAILRACE_TEST_MYSQL_URL")
    if url:
        yield GivenServer(url)
        return
    yield from _started()


@pytest.fixture(scope="session")
def mysql_minimal() -> Iterator[MySqlServer]:
    """A server without GTIDs and with minimal row metadata, as many are in practice."""
    yield from _started(gtid=False, row_metadata="MINIMAL")


@pytest.fixture
def database(mysql_server: Server) -> Iterator[str]:
    """The name of a fresh database on `mysql_server`."""
    name = f"t_{uuid.uuid4().hex[:10]}"
    mysql_server.sql(f"CREATE DATABASE {name}")
    yield name
    mysql_server.sql(f"DROP DATABASE {name}")


@pytest.fixture(scope="session")
def sqlserver_server() -> Iterator[SqlServer]:
    """A SQL Server: the stand-in in a process of its own, or the one that a URL names."""
    try:
        made = sql_server()
    except NoSqlServer as reason:
        TESTS_WITHOUT_SQL_SERVER.append(str(reason))
        pytest.skip(f"no SQL Server: {reason}")
    yield made
    if isinstance(made, StandInServer):
        made.stop()


@pytest.fixture
def sqlserver(sqlserver_server: SqlServer) -> Iterator[SqlServerDatabase]:
    """A fresh database under change data capture, whose log is read step by step."""
    made = sqlserver_server.create_database()
    yield made
    made.drop()


@pytest.fixture(scope="session")
def db2_server() -> Iterator[Db2StandIn | Db2Given]:
    """A Db2: the stand-in in a process of its own, or the one that a URL names."""
    try:
        made = db2_server_of()
    except NoDb2 as reason:
        TESTS_WITHOUT_DB2.append(str(reason))
        pytest.skip(f"no Db2: {reason}")
    yield made
    if isinstance(made, Db2StandIn):
        made.stop()


@pytest.fixture
def db2(db2_server: Db2StandIn | Db2Given) -> Iterator[Db2Database]:
    """A fresh database with SQL Replication, whose Capture program works step by step; a given one is emptied."""
    with _alone(db2_server):
        made = db2_server.create_database()
        yield made
        db2_server.drop_database(made)


@contextmanager
def _alone(server: Db2StandIn | Db2Given) -> Iterator[None]:
    """All tests of all processes share the database of a given server: one after the other has it."""
    if isinstance(server, Db2StandIn):
        yield
        return
    place = hashlib.sha256(f"{server.host}:{server.port}/{server.database}".encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"tailrace-db2-{place}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        yield


@pytest.fixture
def shop(sqlserver: SqlServerDatabase) -> SqlServerDatabase:
    """A database with one captured table, and one that is only there to make transactions."""
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY, a nvarchar(20)); CREATE TABLE other (id int PRIMARY KEY)")
    sqlserver.capture("t")
    sqlserver.capture("other")
    return sqlserver


@pytest.fixture(scope="session")
def kafka_broker() -> Iterator[Broker]:
    """A broker that creates topics, of one partition, as they are written to; shared: use names of your own."""
    address = os.environ.get("TAILRACE_TEST_KAFKA")
    if address:
        yield GivenBroker(address)
        return
    broker = KafkaBroker()
    try:
        broker.start()
    except NoBroker as reason:
        broker.discard()
        TESTS_WITHOUT_BROKER.append(str(reason))
        pytest.skip(f"no Kafka broker: {reason}")
    try:
        yield broker
    finally:
        broker.discard()


@pytest.hookimpl(optionalhook=True)  # there without xdist too
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """With `--dist loadfile`: files in their order."""
    if config.getoption("dist") != "loadfile":
        return None
    from support.scheduling import Files

    return Files(config, log)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """With `--fast`: a file that marks all its tests as others is not imported, unless the command names it."""
    if not FAST or not collection_path.name.startswith("test_"):
        return None
    return True if WHOLE_FILE.search(collection_path.read_text(encoding="utf-8")) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Ten thousand tests are made and all are kept: looking for garbage among them takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for a SQL Server talks to it through a driver; files that need servers, or long, come first.

    What is left at the end of a run is short then, and no worker waits long for another.
    """
    for item in items:
        if "sqlserver_server" in getattr(item, "fixturenames", ()):
            item.add_marker("drivers")
    waiting = {item.path for item in items if any(mark.name in NOT_FAST for mark in item.iter_markers())}
    items.sort(key=lambda item: item.path not in waiting)


def pytest_configure(config: pytest.Config) -> None:
    """Marks of tests that a real server can't take; failures are told as they come."""
    config.addinivalue_line("markers", "db2_stand_in(why): not on a Db2 that TAILRACE_TEST_DB2_URL names")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailuresAtOnce(config))


class FailuresAtOnce:
    """Says what failed when it fails, and how: of a run that is ended from outside nothing is told at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In the process that hears of all tests."""
        if report.failed:
            reporter = self._config.pluginmanager.get_plugin("terminalreporter")
            reporter.write_line(f"\n{report.nodeid} failed in its {report.when}, after {report.duration:.0f} s:", red=True)
            reporter.write_line("\n".join(report.longreprtext.splitlines()[-LINES_AT_ONCE:]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """What a given server can't do skips the test that asks for it."""
    try:
        return (yield)
    except StandInOnly as reason:
        pytest.skip(f"{ONLY}{reason}")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, object, object]:
    """The same of fixtures."""
    try:
        return (yield)
    except StandInOnly as reason:
        pytest.skip(f"{ONLY}{reason}")


@cache
def _make_archive() -> None:
    """Have Spark start in half the time; of several processes one makes the archive, and the others go on without it meanwhile."""
    from tailrace.starting.session_java import make_archive

    make_archive(logging.getLogger(__name__).warning)


@pytest.hookimpl(tryfirst=True)  # before fixtures start anything
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Spark is started by what is marked so, and by commands in what is slow."""
    mark = item.get_closest_marker("db2_stand_in")
    if mark and os.environ.get(DB2_URL) and "db2" in item.nodeid:  # some tests are of other databases too
        pytest.skip(f"{ONLY}{mark.args[0]}")
    if item.get_closest_marker("spark") or item.get_closest_marker("slow"):
        _make_archive()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A suite that passed without its server has not shown much: say so in red."""
    for name, reasons in (
        ("MYSQL", TESTS_WITHOUT_SERVER),
        ("KAFKA", TESTS_WITHOUT_BROKER),
        ("SQL SERVER", TESTS_WITHOUT_SQL_SERVER),
        ("DB2", TESTS_WITHOUT_DB2),
    ):
        if reasons:
            terminalreporter.section(f"TESTS WITH {name} WERE SKIPPED", red=True, bold=True)
            terminalreporter.write_line(reasons[0], red=True)
    skipped = [str(each.longrepr) for each in terminalreporter.stats.get("skipped", ())]
    apart = [reason for reason in skipped if NO_MACHINES in reason]
    if apart:
        terminalreporter.section(f"{len(apart)} TESTS WITH SEVERAL MACHINES WERE SKIPPED", red=True, bold=True)
        terminalreporter.write_line(apart[0].partition(NO_MACHINES)[2].removesuffix("')"), red=True)
    only = sum(ONLY in reason for reason in skipped)
    if only:
        terminalreporter.section(f"{only} TESTS RUN ON THE DB2 STAND-IN ONLY, AND WERE SKIPPED", yellow=True, bold=True)


@pytest.fixture(scope="session")
def spark():
    """A Spark session as the command line starts it."""
    from tailrace.cli.session import start_session

    os.environ["PYTHONPATH"] = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    session = start_session()
    yield session
    session.stop()
    sys.stdout.flush()
