"""Data directories of throwaway Kafka brokers: formatted once for each set of jars, afterwards copied.

To format one is a start of Java. Brokers from one template have the same cluster id, which matters to nobody here. What is
formatted for users or with properties of its own is no template.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import DEVNULL, TimeoutExpired, run

from tailrace_standins.servers.cached_folder import made_once
from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.servers.java_jars import Unavailable, jar_cache

DATA = "data"
FORMAT_TIMEOUT = 60

Configuration = Callable[[Path], Mapping[str, object]]  # of a broker with its files in that folder


def copy_into(directory: Path, command: Sequence[str], jars: Sequence[Path], configuration: Configuration) -> None:
    """Make `directory`/data for a broker of these jars, whose configuration is the usual one. Raises as `format_in`."""
    parts = "\0".join(f"{jar}:{jar.stat().st_size}" for jar in jars)
    place = jar_cache() / f"kafka-data-{hashlib.sha256(parts.encode()).hexdigest()[:16]}"
    template = made_once(place, lambda unfinished: format_in(unfinished, command, configuration))
    shutil.copytree(template / DATA, directory / DATA)


def write(path: Path, properties: Mapping[str, object]) -> Path:
    """Write a file of properties that only its owner can read; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return path


def format_in(directory: Path, command: Sequence[str], configuration: Configuration, users: Sequence[str] = ()) -> None:
    """Format `directory`/data.

    Args:
        directory: of the broker's files.
        command: of Java, with the jars.
        configuration: gives the broker's properties.
        users: arguments for the users that it knows from the beginning.

    Raises:
        Unavailable: with the end of what Kafka said.

    """
    cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    properties = write(directory / "format.properties", configuration(directory))
    # option and value are one word, because the value may begin with "-"
    arguments = ["format", f"--cluster-id={cluster}", "--config", str(properties), *users]
    whole = [*dying_with_parent(), *command, "kafka.tools.StorageTool", *arguments]
    try:
        done = run(whole, capture_output=True, text=True, check=False, stdin=DEVNULL, timeout=FORMAT_TIMEOUT)  # noqa: S603
    except TimeoutExpired:
        raise Unavailable(f"making the broker's data directory took longer than {FORMAT_TIMEOUT} s") from None
    finally:
        properties.unlink()
    if done.returncode:
        raise Unavailable(f"the broker's data directory could not be made:\n{done.stderr[-2000:]}")
