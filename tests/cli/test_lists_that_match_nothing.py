"""`tailrace run` with a list of tables that matches nothing: a first start ends, a later one warns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.mysql_settings import properties_for
from tailrace.cli.exit_codes import exit_code_for
from tailrace.errors import ConfigError

ROOT = Path(__file__).parents[2]
SECONDS = 600
pytestmark = [pytest.mark.mysql, pytest.mark.spark, pytest.mark.slow]


def run(folder, server, **properties):
    """The exit code, and what was said."""
    given = properties_for(server, **properties)
    (folder / "config.json").write_text(json.dumps({"name": "shop", "config": given}))
    command = [sys.executable, "-m", "tailrace.cli.main", "run", folder / "config.json", "--to", f"files:{folder / 'out'}"]
    done = subprocess.run(
        [*map(str, command), "--available-now"],
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_first_start_ends_and_a_later_one_warns(mysql_server, database, tmp_path):
    mysql_server.sql("CREATE TABLE orders (id INT PRIMARY KEY)", database)
    wrong = {"table_include_list": "orders", "database_include_list": database}
    for mode in ("no_data", "initial"):
        code, said = run(tmp_path, mysql_server, **wrong, snapshot_mode=mode)
        assert (code, f"the list wants {database}.orders" in said) == (exit_code_for(ConfigError()), True), said
        assert not list(tmp_path.glob("out/_tailrace/lane-0/commit.json"))
        assert not list(tmp_path.glob("out/test*"))
    code, said = run(tmp_path, mysql_server, **wrong, tailrace_start_without_tables="true")
    assert code == 0, said
    code, said = run(tmp_path, mysql_server, **wrong)
    assert (code, f"the list wants {database}.orders" in said) == (0, True), said
