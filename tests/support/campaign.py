"""A crash campaign with real servers: live writers, a `tailrace run` into Kafka, and one failure ("blow") after another.

    MySQL ── proxy ── tailrace run (driver, Java, tasks) ── proxy ── broker ── read-committed follower
      ▲                                                                            │ folds, compares
      └── writers, each with tables of its own, that tell a journal ◀──────────────┘

A blow comes in one of three phases: during steady streaming, while the run catches up with a backlog, or while structures
change. After it the run must commit again; a supervisor restarts the command if it ended. The follower compares each record
with the journal, so an error is noticed at once.
"""

import contextlib
import itertools
import json
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from support import evidence
from support.blows import Blows
from support.cutting_proxy import CuttingProxy
from support.journal import Journal, Shop
from support.journal_writer import JournalWriter
from support.kafka_folding import Folding, differences
from support.kafka_follower import Follower, count_committed
from support.live_run import LiveRun, send
from tailrace_standins.servers.kafka_broker import KafkaBroker
from tailrace_standins.servers.ports import HOST, free_port

PHASES = ("catch-up", "steady", "ddl")
KINDS = (
    "task", "planner", "driver", "driver-alone", "broker", "mysql-cut", "mysql-silence", "broker-cut", "broker-silence", "freeze",
    "failpoint",
)  # fmt: skip
# kinds after which it may have to be started again
MAY_END = {"task", "planner", "driver", "driver-alone", "failpoint", "driver-cut-off-for-long"}
WRITERS = 2
PARTITIONS = 3
RECOVERY_SECONDS = 180
USUAL_TRANSACTION, SHORT_TRANSACTION = 60, 6  # seconds that one may live; a freeze has to be longer
DRAIN_SECONDS = 120
BACKLOG = 60_000


@dataclass
class Blow:
    """One blow and what became of it.

    Attributes:
        recovery: seconds until every lane's next commit.
        restarts: how often the command had ended and was started again, beyond a kill of it.
        records: how many records had come by then, since the beginning of the campaign.

    """

    kind: str
    phase: str
    recovery: float = 0.0
    restarts: int = 0
    records: int = 0
    detail: str = ""

    def __str__(self):
        return (
            f"{self.kind:<12} {self.phase:<8} recovery {self.recovery:6.2f} s  restarts {self.restarts}  "
            f"records {self.records:>9,}  {self.detail}".rstrip()
        )


@dataclass
class Parts:
    """What a campaign is made of; `made` makes what it needs beside a MySQL server, and ends it."""

    server: object
    broker: object
    broker_proxy: object
    mysql_proxy: object
    folder: Path
    seed: int
    lanes: int = 1
    transaction_seconds: int = USUAL_TRANSACTION
    runner: type = LiveRun

    @classmethod
    @contextlib.contextmanager
    def made(cls, server, folder, seed, *, lanes=1, transaction_seconds=USUAL_TRANSACTION, runner=LiveRun):
        """A broker that tells clients to come through a proxy, and a proxy before the MySQL server."""
        port = free_port()
        with contextlib.ExitStack() as ends:
            to_mysql = ends.enter_context(CuttingProxy(server.host, server.port))
            to_broker = ends.enter_context(CuttingProxy(HOST, port))
            often = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000}
            broker = KafkaBroker(port=port, advertised_port=to_broker.port, partitions=PARTITIONS, properties=often)
            yield cls(server, ends.enter_context(broker), to_broker, to_mysql, folder, seed, lanes, transaction_seconds, runner)


def dealt(blows, chance, kinds):
    """So many blows in random order, as many of each kind as of the others, and in each phase, as far as that can be."""
    pairs = list(itertools.product(kinds, PHASES))
    whole, rest = divmod(blows, len(pairs))
    phases = [chance.sample([(kind, phase) for phase in PHASES], len(PHASES)) for kind in chance.sample(kinds, len(kinds))]
    hand = pairs * whole + list(itertools.chain.from_iterable(zip(*phases, strict=True)))[:rest]
    chance.shuffle(hand)
    return hand


class FaultError(AssertionError):
    """Something was lost, doubled, out of order or wrong; the message lists it and says where the evidence is."""


class Campaign(Blows):
    """Use it as a context: everything is started on entering, and ended, by force, on leaving."""

    patience = RECOVERY_SECONDS  # with a recovery, and with a whole run

    def __init__(self, parts, say=print):
        self.blows = []
        self._parts = parts
        self._say = say
        self._chance = random.Random(parts.seed)
        self._prefix = f"crash{parts.seed}"
        self._database = f"crash_{parts.seed}"
        self._ends = contextlib.ExitStack()
        self.journal = Journal()
        self.folding = Folding(self.journal, self._prefix, self._database)

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._ends.close()
            raise
        return self

    def __exit__(self, *_):
        self._ends.close()

    def strike(self, kind, phase):
        """One blow, and the recovery from it; raises `FaultError` where something is wrong."""
        blow = Blow(kind, phase)
        self.blows.append(blow)
        self._wait(lambda: self.folding.missing < 5_000, "the run does not keep up")
        self._begin_phase(phase)
        before = self._task_pids()
        struck_at = getattr(self, "_strike_" + kind.replace("-", "_"))(blow)
        self._recover(blow, struck_at, before if kind in {"task", "driver", "driver-alone"} else [])
        blow.records = self.folding.taken
        self._say(f"{len(self.blows):>4} {blow}")

    def look(self):
        """Let everything arrive while nobody writes, and compare the tables; then go on."""
        for writer in self._writers:
            writer.pause()
        self._drain()
        self._compare()
        for writer in self._writers:
            writer.resume()

    def finish(self):
        """The writers end, the run is stopped in good order, goes to the head once more, and all is compared."""
        for writer in self._writers:
            writer.finish()
        code = self._run.stop()
        self._require(code == 0, f"the command ended with {code} after SIGTERM")
        self._run.start_to_the_head()
        code = self._run.wait(self.patience)
        self._require(code == 0, f"--available-now ended with {code}: {self._run.log.read_text()[-800:]}")
        self._drain()
        self._compare()
        tables = {f"{self._prefix}.{self._database}.{name}" for shop in self._shops for name in shop.tables}
        counted = count_committed(self._address, tables)
        self._require(
            counted == self.folding.taken, f"{counted} records are there, but the follower had {self.folding.taken}"
        )
        found = evidence.history_faults(self._address, f"__tailrace-history.{self._prefix}", self.journal, self._database)
        self._require(not found, "\n".join(found))

    # -- the beginning

    def _start(self):
        parts, ends = self._parts, self._ends
        parts.server.sql(f"CREATE DATABASE {self._database}")
        self._address = parts.broker.plain_address
        config = parts.folder / "connector.json"
        config.write_text(json.dumps(self._document()))
        ports = [parts.mysql_proxy.port, parts.broker_proxy.port]
        self._run = parts.runner(parts.folder, config, f"kafka:{parts.broker.address}", ports)
        ends.callback(self._run.kill_all)
        self._follower = Follower(self._address, self._prefix, self.folding, f"__tailrace-progress.{self._prefix}")
        ends.callback(self._follower.stop)
        self._follower.start()
        self._writers = []
        self._run.start()
        self._wait(self._has_begun, "the run makes no first commit")
        tables = [[f"a{n}", f"b{n}"] for n in range(WRITERS)]
        self._shops = [Shop(self.journal, names, parts.seed + n) for n, names in enumerate(tables)]
        self._writers = [JournalWriter(parts.server, self._database, shop) for shop in self._shops]
        for writer in self._writers:
            writer.start()

    def _document(self):
        server = self._parts.server
        config = {
            "connector.class": "io.debezium.connector.mysql.MySqlConnector",
            "topic.prefix": self._prefix,
            "tailrace.slice.ms": "15000",  # a dead planner is noticed where a slice ends
            "tasks.max": str(self._parts.lanes),
            "database.hostname": self._parts.mysql_proxy.host,
            "database.port": str(self._parts.mysql_proxy.port),
            "database.user": server.user,
            "database.password": server.password,
            "database.server.id": str(self._chance.randrange(10_000, 1_000_000)),
            "database.include.list": self._database,
            "snapshot.mode": "no_data",
            "decimal.handling.mode": "string",
            "key.converter.schemas.enable": "false",
            "value.converter.schemas.enable": "false",
            "retriable.restart.connector.wait.ms": "300",
            "producer.override.transaction.timeout.ms": str(self._parts.transaction_seconds * 1000),
        }
        return {"name": self._prefix, "config": config}

    # -- phases

    def _begin_phase(self, phase):
        if phase == "catch-up":
            self._make_backlog()
        elif phase == "ddl":
            for writer in self._writers:
                writer.alter(self._chance.randint(3, 12))
        time.sleep(self._chance.uniform(0, 0.6))  # the blow falls at any moment of the phase

    def _make_backlog(self):
        """The tasks are held still while the writers write, so that there is something to catch up with."""
        held = self._task_pids()
        send(held, signal.SIGSTOP)
        try:
            for done in [writer.burst(BACKLOG // WRITERS) for writer in self._writers]:
                self._wait(done.is_set, "the writers do not get on")
        finally:
            send(held, signal.SIGCONT)

    # -- recovery

    def _recover(self, blow, struck_at, gone):
        first_seen = {}

        def recovered():
            if self._run.ended() is not None:
                blow.restarts += 1
                self._require(
                    blow.restarts < 10, f"the command ends again and again: {self._run.log.read_text()[-800:]}"
                )
                self._say(f"     the command ended with {self._run.ended()}: {last_line(self._run.log)[:300]}")
                self._run.start()
            commits = dict(self._follower.commits)
            for lane, commit in commits.items():
                if commit.at_ms > struck_at * 1000 and commit.pid not in gone:
                    first_seen.setdefault(lane, commit.seen_at)
            return first_seen.keys() == commits.keys()

        self._wait(recovered, f"no commit after {blow}")
        blow.recovery = max(first_seen.values()) - struck_at
        self._require(not blow.restarts or blow.kind in MAY_END, f"the command did not survive {blow}")

    def _has_begun(self):
        self._require(self._run.ended() is None, f"the command ended: {last_line(self._run.log)}")
        return sum(commit.at_ms > 0 for commit in self._follower.commits.values()) == self._parts.lanes

    def _task_pids(self):
        self._wait(self._run.task_pids, "no task is at work", restart=True)
        return self._run.task_pids()

    def _drain(self):
        self._wait(lambda: self.folding.missing <= 0, "records never came", DRAIN_SECONDS, restart=True, complain=False)
        found = [*self.folding.faults, *self.folding.missing_faults()]
        self._require(not found, "\n".join(map(str, found[:20])), found)

    def _compare(self):
        found = [text for shop in self._shops for text in differences(self.folding, shop, self._rows_of)]
        self._require(not found, "\n".join(found[:20]))

    def _rows_of(self, table):
        with self._parts.server.connect(self._database) as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        return {row["id"]: {**row, "amount": str(row["amount"])} for row in rows}

    def _wait(self, condition, complaint, seconds=None, *, restart=False, complain=True):
        seconds = seconds or self.patience
        deadline = time.monotonic() + seconds
        while not condition():
            self._check()
            if restart and self._run.ended() not in {None, 0}:
                self._run.start()
            if time.monotonic() > deadline:
                self._require(not complain, f"{complaint} within {seconds} s: {self._run.log.read_text()[-800:]}")
                return
            time.sleep(0.02)

    def _check(self):
        for part in (self._follower, *self._writers):
            if part.error is not None:
                raise part.error
        self._require(not self.folding.faults, "\n".join(map(str, self.folding.faults)), self.folding.faults)

    def _require(self, condition, what, faults=()):
        if not condition:
            place = evidence.keep(
                self._parts.folder, self._address, self._prefix, faults, [what, *map(str, self.blows)]
            )
            raise FaultError(f"{what}\nseed {self._parts.seed}; evidence in {place}")


def last_line(log):
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
