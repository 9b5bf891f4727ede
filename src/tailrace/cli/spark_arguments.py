"""Options of `tailrace run` about Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Conf = Annotated[
    list[str] | None,
    typer.Option(
        "--conf",
        metavar="NAME=VALUE",
        help="A setting of Spark's, as for spark-submit; may be repeated. One with a secret belongs in --properties-file.",
    ),
]
PropertiesFile = Annotated[
    Path | None,
    typer.Option(
        "--properties-file",
        metavar="FILE",
        help="Settings of Spark's, in the form of spark-defaults.conf, which --conf overrides.",
    ),
]
DriverHost = Annotated[
    str | None,
    typer.Option(
        "--driver-host",
        metavar="HOST",
        help="The address of this machine as executors reach it. [default: the one on the way to the master]",
    ),
]
DriverPort = Annotated[
    int, typer.Option("--driver-port", metavar="PORT", help="On which Spark's driver listens for executors; 0: any.")
]
BlockManagerPort = Annotated[
    int,
    typer.Option(
        "--block-manager-port", metavar="PORT", help="On which Spark's block managers listen for one another; 0: any."
    ),
]
LinkPort = Annotated[
    int,
    typer.Option(
        "--link-port",
        metavar="PORT",
        help="On which this command listens for figures of tasks on other machines, and tells them to stop; 0: any. Where "
        "executors do not reach it, figures are missing, and a stop takes all of its time.",
    ),
]
Archives = Annotated[
    str | None,
    typer.Option(
        "--archives",
        metavar="FILE",
        help="An environment that `tailrace pack` has packed, for executors without one: a path here, or on a file system "
        "that Spark knows.",
    ),
]
