"""The Spark settings of `tailrace run` on a cluster: what the command line says, made whole, and refused before Spark starts.

`spark-submit` hands settings on as arguments of Java, which every user of the machine can see. So none with a secret is taken
from the command line; Spark itself reads those from the file of `--properties-file`. Java's options are arguments wherever they
stand, and may have no secret at all.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from attrs import field, frozen

from tailrace.config.documents import read_properties
from tailrace.config.entries import hide_login
from tailrace.config.problems import Problems
from tailrace.errors import ConfigError
from tailrace.streaming.clusters import STANDALONE, hosts_of, is_this_machine

MASTERS: Final = "local[N], spark://HOST:PORT, yarn or k8s://HOST:PORT"
ENVIRONMENT: Final = "environment"
ARCHIVED_PYTHON: Final = f"./{ENVIRONMENT}/bin/python"
OVERHEAD_MB: Final = 1024
"""Memory beside Java's for each task: its Python process with an encoder, a decoder and librdkafka's queue."""
_MASTER: Final = re.compile(r"local(-cluster)?(\[[^\]]*\])?|yarn|(spark|k8s)://.+")
_KUBERNETES: Final = "k8s://"
_SECRETS: Final = (
    r"secret|password|passphrase|(?<!by)pass(wd)?$|pwd|token|(access|account|private|api)[._]?key|credential|\.sas(\.|$)"
)
_SECRET: Final = re.compile(_SECRETS, re.IGNORECASE)
_NO_SECRET: Final = re.compile(r"\.secrets\.|\.secretKeyRef\.|(file|path|enabled)$", re.IGNORECASE)  # where one is
_OPTION: Final = re.compile(r"-D([^\s=]+)=")
_NO_LOGIN: Final = re.compile(r"(?<=//)[^\s/:@]+@|@sha256:|:/(?!/)")
"""What only looks like a login: a container of a storage account, the digest of an image, the second path of several."""
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
_OF_JAVA: Final = "JavaOptions"  # how the names end of what Java gets as arguments
_FIXED: Final = {
    "spark.master": "--master names it",
    "spark.submit.deployMode": "tailrace run is the driver itself: to run it on the cluster, let spark-submit start a script "
    "that calls tailrace.stream",
    "spark.driver.host": "--driver-host names it",
    "spark.driver.port": "--driver-port names it",
    "spark.blockManager.port": "--block-manager-port names it",
}
_SAFE: Final = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.io.encryption.enabled": "true",
}
"""The job holds the connector's passwords, and Spark's processes send it to each other, and may put it on a disk.

The cipher stays as it is: master, workers and driver must have the same.
"""
_HIDING: Final = {"spark.redaction.regex": f"(?i){_SECRETS}"}
"""Spark's pages and event log hide what `--conf` refuses; Spark's own list is shorter."""
_SECRET_FILES: Final = ("spark.authenticate.secret.file", "spark.authenticate.secret.executor.file")
IN_POD_SPECS: Final = (
    "note: Spark writes the secret by which driver and executors know each other into the environment of the executors' pods: "
    "whoever may read the namespace's pods sees it. With spark.authenticate.secret.file it is in a file that you mount "
    "(docs/guides/run-on-a-cluster.md)"
)


@frozen(kw_only=True)
class ClusterOptions:
    """What the command line says of Spark.

    Attributes:
        conf: `NAME=VALUE`, each a setting of Spark's.
        properties_file: of settings, for secrets too.
        driver_host: this machine's address, as the executors reach it.
        driver_port, block_manager_port: that Spark's driver listens on; 0 for any.
        link_port: that tailrace's driver listens on; 0 for any.
        archives: a packed environment for the executors.

    """

    conf: Sequence[str] = ()
    properties_file: Path | None = None
    driver_host: str | None = None
    driver_port: int = 0
    block_manager_port: int = 0
    link_port: int = 0
    archives: str | None = None


@frozen(kw_only=True)
class SparkSettings:
    """The settings of a session.

    Attributes:
        conf: without secrets.
        properties_file: has further ones.
        in_file: their names.
        python: the program of the executors' Python; None for this one.
        java_options: what is given as `spark.driver.extraJavaOptions`.
        notes: what the user should know of them.

    """

    conf: Mapping[str, str] = field(factory=dict)
    properties_file: Path | None = None
    in_file: Collection[str] = ()
    python: str | None = None
    java_options: str = ""
    notes: Sequence[str] = ()


def settings_for(master: str, options: ClusterOptions) -> SparkSettings:
    """The settings for a master.

    Raises:
        ConfigError: there is no such master, or it can't be used so.

    """
    if not _MASTER.fullmatch(master):
        raise ConfigError(f"--master {master}: there is no such master; use {MASTERS}")
    conf = {name: value for name, _, value in map(_split, options.conf)}
    in_file = _of_file(options.properties_file)
    _refuse(conf, in_file)
    given = {**in_file, **conf}
    if master.startswith("local") and not master.startswith("local-cluster"):
        _refuse_of_clusters(master, options)
        # without a setting none is added: Java is then started without Spark's scripts
        hiding = {name: value for name, value in _HIDING.items() if given and name not in given}
        return SparkSettings(
            conf={**hiding, **conf},
            properties_file=options.properties_file,
            in_file=in_file.keys(),
            java_options=given.get(_JAVA_OPTIONS, ""),
        )
    defaults = {
        "spark.dynamicAllocation.enabled": "false",
        "spark.executor.memoryOverhead": _overhead(given),
        **_place(master, options),
        **_protection(master, given),
        **_HIDING,
    }
    ports = {"spark.driver.port": options.driver_port, "spark.blockManager.port": options.block_manager_port}
    if options.archives is not None:
        defaults["spark.archives"] = f"{_place_of(options.archives)}#{ENVIRONMENT}"
    return SparkSettings(
        conf={
            **{name: value for name, value in defaults.items() if name not in given},
            **{name: str(port) for name, port in ports.items() if port},
            **conf,
        },
        properties_file=options.properties_file,
        in_file=in_file.keys(),
        java_options=given.get(_JAVA_OPTIONS, ""),
        python=given.get("spark.pyspark.python") or (ARCHIVED_PYTHON if options.archives else None),
        notes=_notes(master, given),
    )


def own_address(master: str) -> str:
    """The address of this machine on the way to a master. Raises `ConfigError` if only the loopback is known."""
    found = ""
    with suppress(OSError):
        if master.startswith(STANDALONE):
            host = hosts_of(master)[0]
            family, *_, where = socket.getaddrinfo(host, 7077, type=socket.SOCK_DGRAM)[0]
            with closing(socket.socket(family, socket.SOCK_DGRAM)) as probe:
                probe.connect(where)  # sends nothing, and finds the way
                found = str(probe.getsockname()[0])
        else:
            found = socket.gethostbyname(socket.gethostname())
    if not found or (found.startswith("127.") and not is_this_machine(master)):
        raise ConfigError(
            f"--master {master}: executors must reach this machine, and its address is not known: name it with --driver-host"
        )
    return found


def _place_of(archive: str) -> str:
    """A packed environment where Java finds it, whichever folder that starts in. Raises `ConfigError` if it is not there."""
    if _URL.match(archive):
        return archive
    place = Path(archive).expanduser().absolute()
    if not place.is_file():
        raise ConfigError(f"--archives {archive}: there is no such file; `tailrace pack {archive}` makes it")
    return str(place)


def _split(text: str) -> tuple[str, str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        shown = name if equals else text
        raise ConfigError(f"--conf {shown}: it must be NAME=VALUE, with a name that begins with spark.")
    return name.strip(), equals, value.strip()


def _of_file(path: Path | None) -> Mapping[str, str]:
    """The settings in a file, in the form of spark-defaults.conf."""
    if path is None:
        return {}
    found = read_properties(path, Problems())
    return {name: value.strip() for name, value in found.items() if name.startswith("spark.")}


def _refuse(conf: Mapping[str, str], in_file: Mapping[str, str]) -> None:
    _refuse_secrets(conf, in_file)
    for name, value in {**in_file, **conf}.items():
        if name in _FIXED:
            raise ConfigError(f"{name} is not taken from Spark's settings: {_FIXED[name]}")
        if name == "spark.speculation" and value.lower() == "true":
            raise ConfigError("spark.speculation is on: tasks that deliver can't run twice at once; set it to false")


def _refuse_secrets(conf: Mapping[str, str], in_file: Mapping[str, str]) -> None:
    """Refuse secrets that would be among the arguments of a program."""
    for name, value in {**in_file, **conf}.items():
        if name.endswith(_OF_JAVA) and _holds_secret(value):
            raise ConfigError(
                f"{name}: Java's options are arguments of a program, also where --properties-file has them, and everybody on "
                "its machine can see those; leave the secret out, and let what needs it read it from a file of its own or from "
                "the environment"
            )
    for name, value in conf.items():
        if _names_secret(name) or _holds_secret(value):
            raise ConfigError(
                f"--conf {name}: everybody on this machine can see what the command line says; put it into a file that only "
                "you can read, and name that with --properties-file"
            )


def _names_secret(name: str) -> bool:
    return _SECRET.search(name) is not None and _NO_SECRET.search(name) is None


def _holds_secret(value: str) -> bool:
    """Whether a value has an option of Java's with a secret, or an address with a login."""
    without = _NO_LOGIN.sub("", value)
    return hide_login(without) != without or any(_names_secret(found[1]) for found in _OPTION.finditer(value))


def _refuse_of_clusters(master: str, options: ClusterOptions) -> None:
    given = {
        "--driver-host": options.driver_host,
        "--driver-port": options.driver_port,
        "--block-manager-port": options.block_manager_port,
        "--link-port": options.link_port,
        "--archives": options.archives,
    }
    if wrong := [name for name, value in given.items() if value]:
        raise ConfigError(f"{', '.join(wrong)} with --master {master}: that is for executors on other machines")


def _place(master: str, options: ClusterOptions) -> Mapping[str, str]:
    """Where the driver listens: on the loopback, if nobody else is to reach it."""
    host = options.driver_host or ("127.0.0.1" if is_this_machine(master) else own_address(master))
    return {"spark.driver.host": host, "spark.driver.bindAddress": host if _is_own(host) else "0.0.0.0"}  # noqa: S104


def _is_own(host: str) -> bool:
    """Whether an address is one of this machine; the name of a service in Kubernetes is not."""
    with suppress(OSError):
        family, *_, where = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
            probe.bind((where[0], 0))
            return True
    return False


def _protection(master: str, given: Mapping[str, str]) -> Mapping[str, str]:
    """Settings by which Spark's processes know each other and encrypt what they send.

    YARN and Kubernetes make a secret of the application. On Kubernetes it is in the executors' pod specs (`_notes`), unless a
    file has it. A standalone master has its own, which the user must tell.
    """
    if is_this_machine(master) or given.get("spark.authenticate") == "false":
        return {}
    if master.startswith(STANDALONE) and not given.get("spark.authenticate.secret"):
        raise ConfigError(
            f"--master {master}: the connector's passwords go to executors, and without a secret anybody may pose as one. "
            "Start master and workers with spark.authenticate=true and spark.authenticate.secret, and put both into a file for "
            "--properties-file; or, if the network is your own, say --conf spark.authenticate=false"
        )
    return _SAFE


def _notes(master: str, given: Mapping[str, str]) -> Sequence[str]:
    if not master.startswith(_KUBERNETES) or given.get("spark.authenticate") == "false":
        return ()
    return () if any(name in given for name in _SECRET_FILES) else (IN_POD_SPECS,)


def _overhead(given: Mapping[str, str]) -> str:
    cores, each = given.get("spark.executor.cores", "1"), given.get("spark.task.cpus", "1")
    tasks = int(cores) // int(each) if cores.isdigit() and each.isdigit() and int(each) else 1
    return f"{OVERHEAD_MB * max(tasks, 1)}m"
