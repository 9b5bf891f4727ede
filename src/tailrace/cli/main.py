"""The command line. The reference page is generated from `app`; `main` adds error messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tailrace import __version__
from tailrace.cli.arguments import Checkpoint, Config, Strict, To, Verbose, WorkerFile
from tailrace.cli.exit_codes import FAILED, INTERRUPTED, OK, exit_code_for
from tailrace.cli.offsets_commands import offsets_app
from tailrace.cli.outputs import StandardError, why_not_flushed
from tailrace.cli.pack_command import pack
from tailrace.cli.samples import Samples
from tailrace.cli.spark_arguments import (
    Archives,
    BlockManagerPort,
    Conf,
    DriverHost,
    DriverPort,
    LinkPort,
    PropertiesFile,
)
from tailrace.errors import TailraceError
from tailrace.source.stop_time import STOP_SECONDS
from tailrace.streaming.failures import cause_of, first_line

app = typer.Typer(
    name="tailrace",
    help="Change data capture on Spark: a database's log as Debezium-compatible change events.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(offsets_app, name="offsets")
app.command()(pack)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"tailrace {__version__}")
        raise typer.Exit


@app.callback()
def tailrace(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Change data capture on Spark: a database's log as Debezium-compatible change events."""


@app.command()
def run(
    config: Config,
    to: To,
    checkpoint: Checkpoint = None,
    available_now: Annotated[
        bool, typer.Option("--available-now", help="Read to where the log ends at the start, then exit.")
    ] = False,
    master: Annotated[
        str | None,
        typer.Option(
            "--master",
            metavar="URL",
            help="The Spark master whose executors run the tasks: local[N], spark://HOST:PORT, yarn or k8s://HOST:PORT. "
            "[default: this machine, with a core for each lane, at least 2]",
        ),
    ] = None,
    conf: Conf = None,
    properties_file: PropertiesFile = None,
    driver_host: DriverHost = None,
    driver_port: DriverPort = 0,
    block_manager_port: BlockManagerPort = 0,
    link_port: LinkPort = 0,
    archives: Archives = None,
    take_over: Annotated[
        bool,
        typer.Option(
            "--take-over",
            help="Take over at once from another run of this connector that is at work, or seems to be: it ends with exit code "
            "7. Without it the second run refuses.",
        ),
    ] = False,
    stop_timeout: Annotated[
        float,
        typer.Option(
            "--stop-timeout",
            metavar="SECONDS",
            min=0,
            help="How long a stop may take. With more than one lane it brings them to one position after their last commits, "
            "if there is time, so that tasks.max and topic names can change at once; 0: it does not try. The last commits "
            "have 5 s at least.",
        ),
    ] = STOP_SECONDS,
    strict: Strict = False,
    worker: WorkerFile = None,
    verbose: Verbose = False,
) -> None:
    """Read a database's log and deliver its changes until stopped.

    Ctrl-C or SIGTERM: a last commit, then exit code 0. A second Ctrl-C ends at once. A kill at any moment is safe:
    the next run goes on from the last commit.
    """
    from tailrace.cli import early_start

    if conf is None and properties_file is None:
        early_start.begin(config, to, master=master, verbose=verbose)
    from tailrace.cli.cluster import ClusterOptions
    from tailrace.cli.run_command import run_connector

    run_connector(
        config,
        to,
        checkpoint,
        available_now=available_now,
        master=master,
        stop_timeout=stop_timeout,
        verbose=verbose,
        take_over=take_over,
        strict=strict,
        worker=worker,
        spark_options=ClusterOptions(
            conf=conf or (),
            properties_file=properties_file,
            driver_host=driver_host,
            driver_port=driver_port,
            block_manager_port=block_manager_port,
            link_port=link_port,
            archives=archives,
        ),
    )


@app.command()
def check(
    configs: Annotated[
        list[Path],
        typer.Argument(
            metavar="CONNECTOR.json...",
            help="The connector's configuration: Kafka Connect's JSON, flat JSON or properties; with --offline any number "
            "of them, folders, and what Kafka Connect's REST interface lists.",
        ),
    ],
    offline: Annotated[
        bool,
        typer.Option(
            "--offline",
            help="Connect to nothing: say of each connector whether its configuration is accepted, a line each. The exit "
            "code is 0 only if all are. What only this machine lacks, such as a file with a password, is a warning.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --offline: one JSON document instead of lines.")
    ] = False,
    worker: WorkerFile = None,
    apply: Annotated[
        bool,
        typer.Option(
            "--apply",
            help="Run the SQL that the findings show, as the configuration's login, and look again. It drops nothing. "
            "For SQL Server and Db2.",
        ),
    ] = False,
    samples: Annotated[
        Samples | None,
        typer.Option(
            "--samples",
            help="Whether to show what the transforms make of sample events: of one table whole and of the others topic and "
            "key (short), or everything (all). The rows are made up; so are the tables with --offline. [default: short for a "
            "connector with transforms; none where there are several connectors]",
            show_default=False,
        ),
    ] = None,
    strict: Strict = False,
) -> None:
    """Look at whether the database is set up for change data capture, and say what to mend."""
    from tailrace.config.worker import Worker

    if offline:
        if apply:
            raise typer.BadParameter("--apply needs the server, to which --offline does not connect")
        from tailrace.cli.offline_check import check_offline

        raise typer.Exit(check_offline(configs, Worker.read(worker), as_json=as_json, strict=strict, samples=samples))
    if len(configs) > 1 or as_json:
        raise typer.BadParameter("several files, and --json, need --offline: the server of one connector is looked at")
    from tailrace.cli.check_command import check_connector

    found = check_connector(configs[0], worker=Worker.read(worker), apply=apply, strict=strict, samples=samples)
    raise typer.Exit(found)


@app.command(name="compile")
def compile_kernels() -> None:
    """Make what takes long once for this machine: compile the kernels that decode and encode changes, archive Spark's classes.

    A first run does the same before it starts. In an image's build it saves each container that time. What is there already is
    left alone.
    """
    from tailrace.cli.preparing import prepare_all
    from tailrace.starting.session_java import make_archive

    prepare_all()
    for directly in (True, False):  # runs with settings of Spark have an archive of their own
        make_archive(partial(typer.echo, err=True), directly=directly)


@app.command()
def demo(
    seconds: Annotated[int, typer.Option("--seconds", min=1, help="How long the writer changes rows.")] = 20,
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="sqlserver|db2|mysql",
            help="The shop's database: tailrace's own stand-in for SQL Server or for Db2, or a MySQL server.",
        ),
    ] = "sqlserver",
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="console|kafka",
            help="kafka: through a broker of its own, as a read-committed consumer sees it.",
            show_default="console; with --format avro kafka",
        ),
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="json|avro",
            help="avro: through a broker and a schema registry of its own, as a consumer with that registry reads it.",
        ),
    ] = "json",
    verbose: Verbose = False,
) -> None:
    """Show the whole way on a database of its own: a shop's tables, a writer, and the events on the screen."""
    from tailrace.cli.standins import check_standins

    check_standins()
    from tailrace.cli.demo import run_demo

    run_demo(seconds, source=source, to=to, format_=format_, verbose=verbose)


def command() -> None:
    """What `tailrace` runs: `main`, in a process that has begun with what the connector needs."""
    if os.getpid() == 1:  # of a container: the kernel drops signals for which that has no handler
        signal.signal(signal.SIGTERM, lambda number, _: os._exit(128 + number))
    words = sys.argv[1:]
    if words and not words[0].startswith("-"):  # what shows its help needs no connector
        from tailrace.cli.beginning import begin_anew_if_needed

        begin_anew_if_needed(words)
    main(words)


def main(arguments: list[str] | None = None) -> None:
    """Run a command; errors become one line and an exit code (`exit_codes`)."""
    given = sys.argv[1:] if arguments is None else arguments
    number = _run(given)
    why = why_not_flushed()
    if why and number == OK.number:
        number = _report(TailraceError(f"standard output takes no more: {why}"), verbose=False)
    sys.exit(number)


def _run(arguments: list[str]) -> int:
    try:
        app(arguments, prog_name="tailrace")
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else FAILED.number
    except KeyboardInterrupt:
        return INTERRUPTED.number
    except Exception as error:  # noqa: BLE001
        return _report(error, verbose="--verbose" in arguments)
    return OK.number


def _report(error: Exception, *, verbose: bool) -> int:
    cause = cause_of(error)
    if verbose:
        traceback.print_exception(error)
    hint = "" if verbose or isinstance(cause, TailraceError) else " (--verbose shows more)"
    StandardError().print(Text.assemble(("error: ", "bold red"), first_line(cause), hint))
    return exit_code_for(cause)


if __name__ == "__main__":
    command()
