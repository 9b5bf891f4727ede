"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[
    Path,
    typer.Argument(
        metavar="CONNECTOR.json", help="The connector's configuration: Kafka Connect's JSON, flat JSON or properties."
    ),
]
To = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="kafka:HOST:PORT|files:DIR|console",
        help="Where events go: Kafka's topics (brokers separated by commas; with --worker `kafka` means the worker's), "
        "JSON lines in one folder a topic, or here.",
    ),
]
Checkpoint = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="DIR",
        help="Folder of Spark's checkpoint, here or where else Spark can write (hdfs:, s3a:); with --to console also of the "
        "progress, which is not kept without it. Kafka keeps the progress itself: there the checkpoint only guards against its "
        "loss. "
        "[default for files: DIR/_tailrace/checkpoint, else a temporary one]",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Refuse a configuration with names that are no property of the connector, or with two values for one property, "
        "which Kafka Connect passes over, and tailrace warns about.",
    ),
]
WorkerFile = Annotated[
    Path | None,
    typer.Option(
        "--worker",
        metavar="FILE",
        help="The file of the Kafka Connect worker that the connector ran in, connect-distributed.properties for example: "
        "converters, config providers and settings of Kafka's clients are taken from it where the connector has none.",
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Whole events, Spark's warnings, and where an error happened.")
]
