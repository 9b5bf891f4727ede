"""Makes the fixtures of the version that runs: `PYTHONPATH=src:tests python -m stored_state.make [NAME…]`.

See README.md.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import uuid
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

import tailrace
from stored_state import own_topics
from stored_state.driving import Enough, Lanes, small_steps
from stored_state.events import Events, in_kafka, in_rows, joined
from stored_state.replaying import DATA, rows_in, run_query, run_to_the_head
from stored_state.scenarios import SCENARIOS, Scenario
from stored_state.stages import PREFIX, Servers, Stage, document
from stored_state.story import Story
from support.streaming_frames import next_batch, read
from tailrace.cli.main import main as tailrace_main
from tailrace.connect_offsets.file import OffsetFile
from tailrace.connectors.base import Progress
from tailrace.source.cdc_source import INITIAL
from tailrace_standins.servers.kafka_broker import KafkaBroker


class Making:
    """One scenario as it is made."""

    def __init__(self, scenario: Scenario, stage: Stage, address: str, folder: Path, scratch: Path) -> None:
        self.scenario = scenario
        self.stage = stage
        self.story = Story()
        self.beside = False
        self._address = address
        self._folder = folder
        self._scratch = scratch
        self._lanes: Lanes | None = None
        self._offsets: list[Any] = [INITIAL]
        self._delivered: Events = {}
        self._before: list[Any] | None = None

    # -- what scenarios do

    def play(self, *statements: str) -> None:
        """In the database; each step is a connection."""
        use = ("USE shop",) if self.scenario.kind == "mysql" and not statements[0].startswith("CREATE DATABASE") else ()
        self.stage.play(*use, *statements)

    def begin(self, lanes: int = 1) -> None:
        """The connector begins at the log's head."""
        self._new_lanes().begin(lanes)

    def begin_snapshot(self, lanes: int) -> None:
        """The connector begins with the tables as they are now."""
        with self.stage.reading():
            self._new_lanes().begin_snapshot(lanes)

    def lane(self, lane: int, *, enough: Enough | None = None, snapshot: bool = False) -> None:
        """A lane reads on, to the end or until a commit whose progress is enough."""
        with self.stage.reading():
            self._known_lanes.run(lane, enough=enough, snapshot=snapshot)

    def progress(self) -> list[Progress]:
        """How far each lane came."""
        return self._known_lanes.progress()

    def run(self) -> None:
        """`tailrace run` to the head of the log, so that there is a checkpoint of Spark's."""
        with self.stage.reading():
            run_to_the_head(self._document(), self._target, self._scratch)

    def query(self) -> None:
        """A query of Spark's over a DataFrame, to the head of the log."""
        self._delivered = joined(self._delivered, self._queried())

    def query_that_dies(self) -> None:
        """Another one: its only batch was planned, and Spark died before it was done, so that nothing of it counts."""
        commits = self._folder / "checkpoint" / "commits"
        before = {file.name for file in commits.iterdir()}
        self._queried()
        new = [file for file in commits.iterdir() if file.name not in before]
        assert len([file for file in new if file.name.isdigit()]) == 1, new
        for file in new:
            file.unlink()

    @property
    def last_offset(self) -> Any:
        """Of a DataFrame: the newest."""
        return self._offsets[-1]

    def batches(self, count: int | None = None) -> None:
        """So many batches of a DataFrame, or all that there are."""
        options = self._options()
        with self.stage.reading(), small_steps():
            while count is None or count > 0:
                end = next_batch(options, self._offsets[-1])
                if end == self._offsets[-1]:
                    assert count is None, "there is no batch"
                    return
                self._delivered = joined(self._delivered, in_rows(read(options, self._offsets[-1], end)))
                self._offsets.append(end)
                count = None if count is None else count - 1

    def import_(self, offset: Mapping[str, Any]) -> None:
        """`tailrace offsets import` of a connector of Debezium's that stands there."""
        name = self._document()["name"]
        offsets = self._scratch / "offsets.dat"
        key = json.dumps([name, {"server": PREFIX}], separators=(",", ":")).encode()
        OffsetFile(offsets).store(key, json.dumps(offset).encode())
        config = self._scratch / "config.json"
        kept = {
            "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
            "schema.history.internal.file.filename": str(self._scratch / "history.jsonl"),
        }
        shutil.copy(self._sink / "_tailrace" / "lane-0" / "history.jsonl", self._scratch / "history.jsonl")
        shutil.rmtree(self._sink)
        config.write_text(json.dumps(self._document(**{name.replace(".", "_"): value for name, value in kept.items()})))
        with pytest.raises(SystemExit) as ended:
            tailrace_main(["offsets", "import", str(config), "--to", self._target, "--from", f"file:{offsets}"])
        assert ended.value.code == 0

    def give_back(self, events: list[list[Any]]) -> None:
        """These were delivered by somebody else."""
        for table, *event in events:
            self._delivered.setdefault(table, []).append(event)

    def stop(self) -> None:
        """The connector is at rest from here on: this is the state."""
        assert self._before is None
        self._before = list(self.stage.steps)
        if self.scenario.way == "kafka":
            own_topics.keep(self._address, self._folder)
            self._delivered = in_kafka(self._address)
        elif self.scenario.way == "files":
            shutil.copytree(self._sink, self._folder / "out")
        elif self.scenario.way == "frame":
            (self._folder / "offsets.json").write_bytes(orjson.dumps(self._offsets, option=orjson.OPT_INDENT_2))

    # -- what is written

    def store(self) -> None:
        """The scenario's own file."""
        assert self._before is not None
        after = [statements for statements, _ in self.stage.steps[len(self._before) :]]
        scenario = self.scenario
        content = {
            "version": tailrace.__version__,
            "kind": scenario.kind,
            "way": scenario.way,
            "gtid": scenario.gtid,
            "metadata": scenario.metadata,
            "properties": scenario.properties,
            "variants": scenario.variants,
            "before": self._before,
            "after": after,
            "delivered": self._delivered,
            "expected": {
                name: {**wanted, "beside": self.beside, "whole": wanted["read"] is not None}
                for name, wanted in self.story.expected().items()
            },
        }
        (self._folder / "scenario.json").write_text(lines_of(content))

    def _queried(self) -> Events:
        rows = self._scratch / uuid.uuid4().hex
        with self.stage.reading():
            run_query(self._options(), self._folder / "checkpoint", rows, self._scratch)
        return in_rows(rows_in(rows))

    @property
    def _known_lanes(self) -> Lanes:
        assert self._lanes is not None
        return self._lanes

    @property
    def _sink(self) -> Path:
        return self._scratch / "out"

    @property
    def _target(self) -> str:
        return f"kafka:{self._address}" if self.scenario.way == "kafka" else f"files:{self._sink}"

    def _new_lanes(self) -> Lanes:
        self._lanes = Lanes(self._document(), f"{self.scenario.kind} {PREFIX}", self._target)
        return self._lanes

    def _document(self, **more: str) -> dict[str, Any]:
        return document(self.stage, self.scenario.properties, **more)

    def _options(self) -> dict[str, str]:
        return {**self._document()["config"]}


def lines_of(content: Mapping[str, Any]) -> str:
    """JSON whose lines are as long as a person can read, and a diff can show."""
    members = []
    for name, value in content.items():
        if name in {"before", "after"}:
            text = "[\n  " + ",\n  ".join(json.dumps(each) for each in value) + "\n]"
        elif name in {"delivered", "expected"}:
            text = "{\n  " + ",\n  ".join(f"{json.dumps(key)}: {json.dumps(each)}" for key, each in value.items()) + "\n}"
        else:
            text = json.dumps(value)
        members.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def main(wanted: list[str]) -> None:
    """Make the scenarios that are named, or all."""
    chosen = [each for each in SCENARIOS if not wanted or each.name in wanted]
    assert chosen, f"no such scenario; there are {', '.join(each.name for each in SCENARIOS)}"
    servers = Servers()
    with KafkaBroker() as broker, closing(servers):
        for scenario in chosen:
            folder = DATA / tailrace.__version__ / scenario.name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            own_topics.clear(broker.address)
            stage = servers.stage(scenario.kind, gtid=scenario.gtid, metadata=scenario.metadata)
            with tempfile.TemporaryDirectory() as scratch:
                making = Making(scenario, stage, broker.address, folder, Path(scratch))
                scenario.make(making)
                making.store()
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            print(f"{scenario.name}: {size:,} bytes", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
