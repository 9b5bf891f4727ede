"""The yard of machines, or the reason why there is none."""

import pytest

from support.machines.available import NO_MACHINES, require_machines
from support.machines.yard import Yard
from tailrace_standins.servers.java_jars import Unavailable as NoBroker
from tailrace_standins.servers.mysql_install import Unavailable as NoMySql


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    """Servers and a Spark cluster; the tests are in the network while it is there."""
    require_machines()
    try:
        made = Yard.made(tmp_path_factory.mktemp("yard"))
        with made as yard:
            yield yard
    except (NoBroker, NoMySql) as reason:
        pytest.skip(f"{NO_MACHINES}{reason}")
