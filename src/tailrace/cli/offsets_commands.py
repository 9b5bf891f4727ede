"""`tailrace offsets`: its commands and their options; their code is imported when one is called."""

from __future__ import annotations

from typing import Annotated

import typer

from tailrace.cli.arguments import Checkpoint, Config, To, WorkerFile

offsets_app = typer.Typer(
    help="Show or set how far a connector has come; take over from Debezium, and hand back.", no_args_is_help=True
)


@offsets_app.command("show")
def offsets_show(config: Config, to: To, checkpoint: Checkpoint = None, worker: WorkerFile = None) -> None:
    """Show how far a target has been delivered to, as JSON."""
    from tailrace.cli.offsets_command import show

    show(config, to, checkpoint, worker)


@offsets_app.command("set")
def offsets_set(
    config: Config,
    to: To,
    position: Annotated[
        str, typer.Argument(metavar="JSON", help="`restart` as `offsets show` gives it, or an offset of Debezium's.")
    ],
    checkpoint: Checkpoint = None,
    worker: WorkerFile = None,
) -> None:
    """Set from where the next run reads; stop the connector first."""
    from tailrace.cli.offsets_command import set_

    set_(config, to, position, checkpoint, worker)


Name = Annotated[
    str | None,
    typer.Option(
        "--name", metavar="NAME", help="The connector's name in Kafka Connect. [default: `name` of the configuration]"
    ),
]
STORE = "file:PATH|kafka:HOST:PORT/TOPIC"


@offsets_app.command("import")
def offsets_import(
    config: Config,
    to: To,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar=STORE,
            help="Where Kafka Connect keeps its offsets: offset.storage.file.filename or offset.storage.topic. "
            "[default: what the file of --worker says]",
        ),
    ] = None,
    name: Name = None,
    checkpoint: Checkpoint = None,
    worker: WorkerFile = None,
    force: Annotated[bool, typer.Option("--force", help="Also where the target has progress already.")] = False,
) -> None:
    """Go on where a Debezium connector is; stop that one first.

    Takes its offset, and the schema history that the configuration names, over to the target's progress.
    """
    from tailrace.cli.offsets_import import import_

    import_(config, to, source, name, checkpoint, worker, force=force)


@offsets_app.command("export")
def offsets_export(
    config: Config,
    to: To,
    into: Annotated[
        str,
        typer.Option("--into", metavar=STORE, help="Where Kafka Connect keeps its offsets; as with `import --from`."),
    ],
    name: Name = None,
    checkpoint: Checkpoint = None,
    worker: WorkerFile = None,
) -> None:
    """Let Debezium go on where this connector is; stop both first.

    Writes Debezium's offset at the delivered position, and what the schema history that the configuration names lacks.
    """
    from tailrace.cli.offsets_export import export

    export(config, to, into, name, checkpoint, worker)
