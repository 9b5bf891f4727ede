"""The two distributions: tailrace, which people install, and tailrace-standins, whose servers only tests and the demo need."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import tailrace
import tailrace_standins

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
ASKS_FOR_THEM = {
    "tailrace/cli/demo_ways.py",
    "tailrace/connectors/db2/demo.py",
    "tailrace/connectors/mysql/demo.py",
    "tailrace/connectors/sqlserver/demo.py",
    "tailrace/connectors/sqlserver/pages.py",
}
NAME = re.compile(r"[A-Za-z0-9_.-]+")


def document(path):
    return tomllib.loads((ROOT / path).read_text())["project"]


def wheel_of(folder, target):
    """The names in the wheel that hatchling makes of a distribution, as `pip install` does."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(build, cwd=folder, check=True, capture_output=True, timeout=300)
    (wheel,) = target.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def started(*arguments):
    """The command line of a process that has no stand-ins."""
    script = (
        "import sys; sys.modules['tailrace_standins'] = None; from tailrace.cli.main import main; main(sys.argv[1:])"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=300, check=False
    )


def test_the_two_have_one_version_and_one_is_pinned_to_the_other():
    assert tailrace_standins.__version__ == tailrace.__version__
    pins = [need for need in document("standins/pyproject.toml")["dependencies"] if need.startswith("tailrace")]
    assert [pin.partition("==")[2] for pin in pins] == [tailrace.__version__]


def test_no_list_of_requirements_asks_a_registry_for_the_second():
    project = document("pyproject.toml")
    wanted = [*project["dependencies"], *(need for needs in project["optional-dependencies"].values() for need in needs)]
    locked = re.findall(r"^(\S+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert not [need for need in (*wanted, *locked) if re.sub("[-_.]+", "-", need).startswith("tailrace")]


def test_what_the_second_needs_is_locked_too():
    locked = set(re.findall(r"^(\S+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    needs = [NAME.match(need)[0] for need in document("standins/pyproject.toml")["dependencies"]]
    assert [need for need in needs if need not in locked] == ["tailrace"]


@pytest.mark.long
def test_the_wheel_of_tailrace_has_no_server_and_no_test(tmp_path):
    names = wheel_of(ROOT, tmp_path)
    version = f"tailrace-{tailrace.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {
        "tailrace",
        "pyspark_tailrace",
        "pyspark_tailrace_sqlserver",
        "pyspark_tailrace_db2",
        version,
    }
    assert [name for name in names if "standin" in name and name != "tailrace/cli/standins.py"] == []
    assert [name for name in names if "test" in name] == []


@pytest.mark.long
def test_that_of_the_second_has_nothing_but_it_and_all_that_it_reads(tmp_path):
    names = wheel_of(ROOT / "standins", tmp_path)
    assert {name.split("/")[0] for name in names if "dist-info" not in name} == {"tailrace_standins"}
    in_tree = (ROOT / "standins" / "src").rglob("*")
    assert {
        str(path.relative_to(ROOT / "standins" / "src")) for path in in_tree if path.suffix in {".py", ".tsv", ".sql", ".sh"}
    } <= set(names)


def test_only_the_demo_and_the_generator_of_pages_name_it():
    assert {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if "tailrace_standins" in (source := path.read_text())
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tailrace_standins"))
        or (isinstance(node, ast.Import) and any(name.name.startswith("tailrace_standins") for name in node.names))
    } == ASKS_FOR_THEM


def test_it_needs_nothing_of_the_command_line():
    """Which imports the servers for its demo: that would be a circle."""
    assert [path for path in (ROOT / "standins" / "src").rglob("*.py") if "tailrace.cli" in path.read_text()] == []


@pytest.mark.long
def test_without_it_the_command_line_works_and_the_demo_says_what_to_do():
    helped = started("--help")
    assert helped.returncode == 0, helped.stderr
    told = started("demo")
    assert told.returncode == 2
    assert told.stderr.startswith("error: the demo's servers are not installed")
    assert "./run demo" in told.stderr
    assert "pip install . ./standins" in told.stderr
    assert "Traceback" not in told.stderr


def test_the_demo_takes_no_servers_of_another_version(monkeypatch, capsys):
    from tailrace.cli.main import main

    monkeypatch.setattr(tailrace_standins, "__version__", "0.0.9")
    with pytest.raises(SystemExit, match="2"):
        main(["demo"])
    assert f"are of version 0.0.9, tailrace is {tailrace.__version__}" in " ".join(capsys.readouterr().err.split())


def test_a_folder_that_an_uninstallation_left_is_no_stand_in(monkeypatch, capsys):
    from tailrace.cli.main import main

    monkeypatch.delattr(tailrace_standins, "__version__")
    with pytest.raises(SystemExit, match="2"):
        main(["demo"])
    assert "the demo's servers are not installed" in " ".join(capsys.readouterr().err.split())
