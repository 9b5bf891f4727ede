"""The tables that drivers read and write, and what the tests say at the end."""

import pytest
from tests.standins.db2.drivers.children import MISSING, Child
from tests.standins.db2.samples import SAMPLES
from tests.standins.db2.scripted import ScriptedServer, Table

from tailrace_standins.db2.server import StandIn
from tailrace_standins.db2.session import Column, SqlError
from tailrace_standins.db2.values import SqlType

ID = Column("ID", SqlType("integer"), nullable=False)


@pytest.fixture
def scripted() -> ScriptedServer:
    """`read_<type>` with a value, a NULL and the value again, `write_<type>`, and tables for blocks and errors."""
    made = ScriptedServer()
    for sample in SAMPLES:
        rows = [(1, sample.value), (2, None), (3, sample.value)]
        made.tables[f"read_{sample.name.lower()}"] = Table((ID, sample.column), rows)
        made.tables[f"write_{sample.name.lower()}"] = Table((ID, sample.column))
    made.tables["wide"] = Table(
        tuple(Column(f"C{place}", SqlType("integer")) for place in range(200)), [tuple(range(200))] * 3
    )
    text = Column("V", SqlType("varchar", 32672))
    made.tables["fat"] = Table((ID, text, text), [(number, "x" * 32000, "y" * 32000) for number in range(5)])
    made.tables["many"] = Table((ID, text), [(number, f"some text {number}") for number in range(30_000)])
    sizes = (0, 1, 1000, 32_000, 70_000, 300_000)
    blob = Column("B", SqlType("blob", 1 << 30))
    made.tables["large"] = Table((ID, blob), [(size, bytes([size % 251]) * size) for size in sizes])
    made.tables["empty"] = Table((ID,))
    made.tables["late"] = Table((ID,), [(1,)], SqlError(-952, "57014"))
    made.tables["result"] = Table((text,), [("of a procedure",)])
    made.tables["bits"] = Table((ID,), [(7,)], None, (Column("", SqlType("varchar", 16, bit_data=True)),) * 2)
    marker = Column("", SqlType("varchar", 16, bit_data=True))
    made.tables["bound_large"] = Table((blob,), [(b"small",), (bytes(100_000),)], None, (marker,))
    made.failures["SELECT * FROM dead"] = SqlError(-911, "40001", "2")
    made.failures["SELECT * FROM locked"] = SqlError(-913, "57033", "68")
    return made


@pytest.fixture
def connected(scripted: ScriptedServer, server: StandIn, child: Child) -> Child:
    """The module's child, connected to the server."""
    child.ask("connect", server.port, scripted.password)
    return child


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Without its drivers the stand-in has been shown to nobody: say so in red."""
    if MISSING:
        terminalreporter.section("TESTS WITH DRIVERS OF DB2 WERE SKIPPED", red=True, bold=True)
        for reason in dict.fromkeys(MISSING):
            terminalreporter.write_line(reason, red=True)
