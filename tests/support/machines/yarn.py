"""YARN on one machine: its ResourceManager and a NodeManager, from Hadoop's jars."""

from support.machines.spark import commands
from tailrace_standins.servers.java_jars import fetched_jars
from tailrace_standins.servers.waiting import wait_until

HADOOP = "3.5.0"
PARTS = ("hadoop-common", *(f"hadoop-yarn-{part}" for part in ("client", "server-resourcemanager", "server-nodemanager")))
PACKAGES = [f"org.apache.hadoop:{part}:{HADOOP}" for part in (*PARTS, "hadoop-yarn-server-timelineservice")]
START_SECONDS = 180
CONFIGURATION = "/tmp/hadoop"  # on the machine
ENVIRONMENT = {"HADOOP_CONF_DIR": CONFIGURATION, "HADOOP_HOME": "/tmp/hadoop-home"}
LOGGING = """\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d %p %c{2}: %m%n
"""
SCHEDULER = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler"
LOGS = "/tmp/nodes/logs"


class Yarn:
    """`start` it on a machine that has the folder of `hadoop_jars`, then submit with `ENVIRONMENT` there."""

    def __init__(self, machine):
        self._machine = machine

    def start(self):
        """Start both, and wait until the node is registered."""
        machine = self._machine
        machine.start(["mkdir", "-p", CONFIGURATION, "/tmp/nodes/local", LOGS], log="folders").wait()
        machine.write(f"{CONFIGURATION}/core-site.xml", _site({"fs.defaultFS": "file:///"}))
        machine.write(f"{CONFIGURATION}/yarn-site.xml", _site(self._settings()))
        machine.write(f"{CONFIGURATION}/log4j.properties", LOGGING)
        for name in ("resourcemanager.ResourceManager", "nodemanager.NodeManager"):
            self._launch(name)
        wait_until(lambda: self._said("registered with capability"), START_SECONDS, lambda: machine.log("resourcemanager")[-3000:])

    def _launch(self, name):
        jars = ":".join(map(str, hadoop_jars()))
        java = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.lang=ALL-UNNAMED"]
        main = f"org.apache.hadoop.yarn.server.{name}"
        self._machine.start(
            [*java, "-cp", f"{CONFIGURATION}:{jars}", main], log=name.partition(".")[0], environment=ENVIRONMENT
        )

    def _said(self, text):
        return text in self._machine.log("resourcemanager")

    def _settings(self):
        address = self._machine.address
        return {
            "yarn.resourcemanager.hostname": address,
            "yarn.nodemanager.hostname": address,
            "yarn.resourcemanager.scheduler.class": SCHEDULER,  # the usual one wants its queues described
            "yarn.nodemanager.resource.memory-mb": 16_384,
            "yarn.nodemanager.resource.cpu-vcores": 16,
            "yarn.scheduler.minimum-allocation-mb": 256,
            "yarn.nodemanager.pmem-check-enabled": "false",
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.nodemanager.local-dirs": "/tmp/nodes/local",
            "yarn.nodemanager.log-dirs": LOGS,
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": 100,
            "yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb": 0,
        }


def hadoop_jars():
    """Raises `java_jars.Unavailable` where they can't be had."""
    return fetched_jars(f"hadoop-yarn-{HADOOP}", PACKAGES)


def containers(machine):
    """The Java processes of containers: the driver's (the application's master) and executors'."""
    words = ("ApplicationMaster", "YarnCoarseGrainedExecutorBackend")
    return [each for each, command in commands(machine) if any(word.endswith(words) for word in command)]


def _site(properties):
    lines = [f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items()]
    return f"<configuration>{''.join(lines)}</configuration>"
