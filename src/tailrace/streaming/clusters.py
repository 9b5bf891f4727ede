"""A job whose tasks run on other machines: what can't go there, what goes along, and how its tasks reach the driver."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Any, Final

from tailrace.config.settings import Settings
from tailrace.errors import ConfigError
from tailrace.signals.model import Channel
from tailrace.source.job import KAFKA, Job
from tailrace.source.shipped import with_environment, with_what_it_names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tailrace.link import Link
    from tailrace.sinks.lease import Notice

STANDALONE: Final = "spark://"
_LOCAL: Final = re.compile(r"local(-cluster)?(\[.*\])?")
_CRYPTO: Final = ("spark.network.crypto.enabled", "spark.ssl.rpc.enabled")
_DISKS: Final = "spark.io.encryption.enabled"
CLEARTEXT: Final = (
    "warning: Spark's processes do not encrypt what they send each other, and the connector's passwords are among it; set "
    "spark.authenticate and spark.network.crypto.enabled, unless the network is your own"
)
CLEAR_DISKS: Final = (
    "warning: Spark does not encrypt what it puts on the disks of driver and executors, and the connector's passwords may be "
    f"among it; set {_DISKS}, unless the machines are your own"
)


def is_this_machine(master: str) -> bool:
    """Whether a master runs its tasks here: in the driver's process, or as a cluster on the loopback."""
    if _LOCAL.fullmatch(master):
        return True
    return master.startswith(STANDALONE) and all(_is_loopback(host) for host in hosts_of(master))


def hosts_of(master: str) -> list[str]:
    """The hosts of a standalone master's URL."""
    return [place.rpartition(":")[0].strip("[]") for place in master.removeprefix(STANDALONE).split(",")]


def require_for_elsewhere(job: Job, settings: Settings, master: str) -> None:
    """Refuse what tasks on other machines can't do.

    Raises:
        ConfigError: the message says what, and what works.

    """
    if not job.target.startswith(KAFKA):
        kind = job.target.partition(":")[0]
        raise ConfigError(
            f"--to {kind} with the master {master}: its files, locks and renames are those of one machine, and tasks run on "
            "others; deliver to kafka:HOST:PORT, or take a master of this machine"
        )
    if Channel.FILE in settings.signal_enabled_channels:
        raise ConfigError(
            f"signal.enabled.channels has file, with the master {master}: signal.file is on one machine, and the task that "
            "reads signals on any; take the channel kafka, or source with signal.data.collection"
        )
    if settings.schema_history_internal_file_filename:
        raise ConfigError(
            f"schema.history.internal.file.filename with the master {master}: the file would be written on whichever machine a "
            "task runs; leave it out, the schema history is kept with the progress, or name a topic"
        )


def job_for(job: Job, settings: Settings, master: str) -> Job:
    """The job with what its tasks need of this machine. Raises `ConfigError` where they can't run elsewhere."""
    if is_this_machine(master):
        return with_environment(job)
    require_for_elsewhere(job, settings, master)
    return with_what_it_names(job)


def listen_for(spark: SparkSession, link: Link, notice: Notice, *, port: int = 0) -> None:
    """Let tasks on other machines reach the driver, at the address at which Spark's executors do.

    Raises:
        ConfigError: that address can't be listened on.

    """
    if is_this_machine(str(spark.sparkContext.master)):
        return
    conf: Any = spark.sparkContext.getConf()
    host = conf.get("spark.driver.host")
    link.listen_elsewhere(host, conf.get("spark.driver.bindAddress", host), port)
    is_secret = conf.get("spark.authenticate", "false") == "true"
    if not (is_secret and any(conf.get(name, "false") == "true" for name in _CRYPTO)):
        notice(CLEARTEXT)
    if conf.get(_DISKS, "false") != "true":
        notice(CLEAR_DISKS)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
