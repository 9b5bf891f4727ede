"""What asks a server for a position does not load the decoders, which take a second and some hundred megabytes."""

import subprocess
import sys

LOADED = """
import sys
import tailrace.connectors.mysql.signal_polling
import tailrace.connectors.mysql.reader
import tailrace.connectors.mysql.snapshots.requested_parts
import tailrace.source.cdc_source
import tailrace.source.run
print(*sorted({'numba', 'polars', 'pandas'} & set(sys.modules)))
"""


def test_the_connector_its_plans_and_its_signals_do_without_compiled_code():
    found = subprocess.run([sys.executable, "-c", LOADED], check=True, capture_output=True, text=True)
    assert found.stdout.split() == []
