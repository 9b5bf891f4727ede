"""Topic names and the number of lanes change while lanes stand apart: nothing is lost, nothing doubled, order stays.

On a real broker, with MySQL and with databases that have change tables, without Spark.
"""

import random
import re
import uuid
from contextlib import closing

import pytest
from attrs import evolve

from support.captured_shops import IN_LONG_RUNS, KINDS, SIGNALS, ask, shop_of, signal_table
from support.changing_lanes import TABLES, Rows, Runs, assert_each_change_once, by_any_chain
from support.every_scenario import only_with_all
from support.mysql_settings import properties_for
from tailrace.connectors.mysql import streaming
from tailrace.errors import FencedError
from tailrace.sinks.kafka.claiming import Claiming
from tailrace.sinks.kafka.progress import ProgressRecord

SMALL_BLOCK = 600  # bytes: batches end within transactions
MYSQL = pytest.param("mysql", marks=pytest.mark.mysql)
ON_MYSQL = [MYSQL, *(pytest.param(kind, marks=[pytest.mark.drivers, only_with_all]) for kind in KINDS)]
NUMBERS = [(4, 2), (2, 4), (4, 1), (1, 3)]  # of lanes, before and after
IN_CI = {"mysql": [(4, 2), (1, 3)], "sqlserver": [(2, 4), (4, 1)]}
pytestmark = [pytest.mark.kafka, pytest.mark.slow]


class MySql:
    """A database of MySQL."""

    def __init__(self, server, database):
        self.prefix = f"c{uuid.uuid4().hex[:8]}"
        self._server, self._database = server, database
        for table in TABLES:
            server.sql(f"CREATE TABLE {table} (ID INT PRIMARY KEY, V INT, pad VARCHAR(200) DEFAULT 'x')", database)
        server.sql("CREATE TABLE asked (id VARCHAR(50), type VARCHAR(50), data VARCHAR(2000))", database)

    def properties(self, **more):
        return properties_for(
            self._server,
            topic_prefix=self.prefix,
            database_include_list=self._database,
            table_include_list=f"{self._database}.T[0-9]",
            signal_data_collection=f"{self._database}.asked",
            **more,
        )

    def transaction(self, statements):
        self._server.sql(f"BEGIN; {'; '.join(statements)}; COMMIT", self._database)

    def settle(self):
        pass

    def signal(self, kind):
        tables = ", ".join(f'"{self._database}.{table}"' for table in TABLES)
        data = f'{{"data-collections": [{tables}], "type": "{kind}"}}'
        self._server.sql(f"INSERT INTO asked VALUES ('{kind}', 'execute-snapshot', '{data}')", self._database)


class Captured:
    """A database with change tables, whose log is captured by itself."""

    def __init__(self, shop):
        self.prefix = f"c{uuid.uuid4().hex[:8]}"
        self._shop = shop
        for table in TABLES:
            shop.sql(f"CREATE TABLE S.{table} (ID INTEGER NOT NULL PRIMARY KEY, V INTEGER)")
        signal_table(shop)
        shop.capture(*TABLES, SIGNALS)
        shop.resume()

    def properties(self, **more):
        return self._shop.properties(
            topic_prefix=self.prefix, table_include_list="S[.]T[0-9]", signal_data_collection=self._shop.named(SIGNALS), **more
        )

    def transaction(self, statements):
        self._shop.sql(*(re.sub(r"(UPDATE|INTO) ", r"\1 S.", each, count=1) for each in statements))

    def settle(self):
        self._shop.pause()
        self._shop.capture_all()
        self._shop.resume()

    def signal(self, kind):
        ask(self._shop, kind, *TABLES, type=kind)


@pytest.fixture
def chance():
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture(params=IN_LONG_RUNS)
def source(request, monkeypatch):
    if request.param == "mysql":
        monkeypatch.setattr(streaming.LogReader.__init__, "__defaults__", (SMALL_BLOCK, streaming.LARGE_BATCH))
        return MySql(request.getfixturevalue("mysql_server"), request.getfixturevalue("database"))
    return Captured(shop_of(request))


@pytest.fixture
def runs(source, kafka_broker, chance, monkeypatch):
    return Runs(source, kafka_broker, chance, monkeypatch)


@pytest.fixture
def rows(source, chance):
    return Rows(source, chance)


@pytest.mark.parametrize("source", ON_MYSQL, indirect=True)
def test_changed_topic_names_after_a_kill(runs, rows):
    runs.start(2)
    rows.write(8)
    assert not runs.start(2, commits=2)
    assert not runs.recorded().is_at_one_position
    rows.write(2)
    assert runs.start(2)
    told = list(runs.notices)
    assert runs.recorded().is_at_one_position
    rows.write(2)
    assert runs.start(2)
    assert_each_change_once(runs.rows(), rows)
    assert ["under the topic names of before" in line for line in told] == [True]


@pytest.mark.parametrize("source", [MYSQL], indirect=True)
def test_a_late_task_of_the_query_that_brought_lanes_together_gets_none_beside_the_claim_that_deals_them_out(runs, rows):
    """The claim has signed all lanes: if the task could open one now, the layout would set back what it delivers there."""
    runs.start(2)
    rows.write(8)
    runs.start(2, commits=2)
    late = []

    def open_lane(*_):
        with closing(runs.queries[-1].new_sink()) as sink, pytest.raises(FencedError, match="another run"):
            sink.open(1)
        late.append(1)

    with pytest.MonkeyPatch.context() as patched:
        laid_out = Claiming._laid_out
        patched.setattr(Claiming, "_laid_out", lambda *given: open_lane() or laid_out(*given))
        assert runs.start(3)
    assert late
    assert_each_change_once(runs.rows(), rows)


@pytest.mark.parametrize("source", ON_MYSQL, indirect=True)
def test_the_names_change_at_once_where_lanes_stand_together(runs, rows):
    runs.start(2)
    for _ in range(3):
        rows.write(3)
        assert runs.start(2)
        assert runs.notices == []
    assert_each_change_once(runs.rows(), rows)


def test_any_chain_after_another_with_any_number_of_lanes_and_any_kills(runs, rows, chance):
    runs.naming = by_any_chain(chance.random())
    runs.start(3)
    rows.write(8)
    for _ in range(6):
        runs.start(chance.randint(1, 4), commits=chance.randint(1, 6))
        rows.write(chance.randint(0, 2))
    assert runs.start(chance.randint(1, 4))
    rows.write(1)
    assert runs.start(2)
    assert_each_change_once(runs.rows(), rows)


def with_numbers():
    """Each database with each change of the number; without `--all` each change with one of them."""
    for source in IN_LONG_RUNS:
        (kind,) = source.values
        for numbers in NUMBERS:
            more = [] if numbers in IN_CI.get(kind, NUMBERS) else [only_with_all]
            yield pytest.param(kind, *numbers, marks=[*source.marks, *more])


@pytest.mark.parametrize(("source", "before", "after"), list(with_numbers()), indirect=["source"])
def test_another_number_of_lanes_and_other_names_after_a_kill_and_after_a_kill_on_the_way(runs, rows, before, after):
    runs.start(before)
    rows.write(8)
    runs.start(before, commits=3)
    rows.write(2)
    runs.start(after, commits=1)
    rows.write(2)
    assert runs.start(after)
    assert runs.recorded().lanes == after
    rows.write(2)
    assert runs.start(after)
    assert_each_change_once(runs.rows(), rows)


@pytest.mark.parametrize("source", ON_MYSQL, indirect=True)
def test_a_record_of_an_earlier_version_is_taken_to_have_the_names_of_the_configuration(runs, rows, monkeypatch):
    """It goes on with them, and they are stored from then on."""
    of_earlier = ProgressRecord.to_json
    with monkeypatch.context() as earlier:
        earlier.setattr(ProgressRecord, "to_json", lambda record: of_earlier(evolve(record, routing=None)))
        runs.start(2)
        rows.write(8)
        runs.start(2, commits=2)
    runs.runs -= 1
    assert not runs.recorded().is_at_one_position
    assert runs.start(2)
    assert runs.notices == []
    rows.write(4)
    runs.start(2, commits=2)
    assert runs.start(2)
    assert "under the topic names of before" in runs.notices[0]
    assert_each_change_once(runs.rows(), rows)


def test_any_changes_and_kills_from_the_snapshot_on(runs, rows, chance):
    rows.write(12)
    for _ in range(8):
        runs.start(chance.randint(1, 4), commits=chance.randint(0, 14), snapshot_mode="initial")
        rows.write(chance.randint(0, 3))
    assert runs.start(chance.randint(1, 4), snapshot_mode="initial")
    found = runs.rows()
    assert_each_change_once(found, rows)
    assert all([op for op, _ in told].count("r") <= 1 for told in found.values())


@pytest.mark.parametrize("kind", ["incremental", pytest.param("blocking", marks=only_with_all)])
def test_any_changes_and_kills_within_what_a_signal_asked_for(runs, rows, source, chance, kind):
    runs.start(2)
    rows.write(12)
    runs.start(2)
    rows.write(3)
    known = dict(rows.versions)
    source.signal(kind)
    for _ in range(8):
        runs.start(chance.randint(1, 4), commits=chance.randint(1, 8))
        rows.write(chance.randint(0, 1))
    lanes = chance.randint(1, 3)
    assert runs.start(lanes)
    assert runs.start(lanes, available_now=False)
    rows.write(1)
    assert runs.start(1)
    found = runs.rows()
    assert_each_change_once(found, rows)
    reads = {key: [value for op, value in told if op == "r"] for key, told in found.items()}
    assert [key for key, values in reads.items() if len(values) > 1] == []
    unchanged = [key for key in known if rows.versions[key] == known[key]]
    assert unchanged
    assert {key: reads[key] for key in unchanged if reads[key] != [known[key]]} == {}


@pytest.mark.parametrize("source", [MYSQL], indirect=True)
def test_a_lane_within_a_transaction_reads_it_to_its_end_before_there_are_more(runs, rows):
    """It has counted its delivered rows, of all tables, for the case that another server has to be read."""
    runs.start(1)
    rows.write(40)
    for _ in range(30):
        assert not runs.start(1, commits=1)
        if "open_rows" in runs.recorded().progress[0].restart:
            break
    else:
        pytest.fail("it never stops within a transaction")
    runs.start(3, commits=1)
    assert runs.notices == ["1 lane to one position, to go on with 3 lanes from there"]
    assert runs.start(3)
    assert_each_change_once(runs.rows(), rows)
