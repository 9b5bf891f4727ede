"""`tailrace pack`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def pack(
    destination: Annotated[Path, typer.Argument(metavar="FILE.tar.gz", help="The archive to write.")],
    further: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME",
            help="Another installed distribution to pack, with what it needs, for transforms or converters of your own; may be "
            "repeated.",
        ),
    ] = None,
) -> None:
    """Pack what executors need besides Python into an archive, for `tailrace run --archives`.

    It has tailrace and all that it needs, and takes the Python of the executor's machine, which must be of this one's version
    (3.12, for example), on the same kind of system and processor.
    """
    from tailrace.cli.packing import pack as write

    files = write(destination, further or ())
    typer.echo(f"{destination}: {files} files, {destination.stat().st_size / 1e6:.0f} MB", err=True)
