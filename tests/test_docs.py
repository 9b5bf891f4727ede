"""The documentation: generated pages are current, links lead somewhere, and what is quoted from the code is in it."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from tailrace import docs
from tailrace.cli.main import app
from tailrace.connectors.load import from_mapping

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
CODE = re.compile(r"(?<!\[)`[^`\n]+`")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
REGISTRIES = (
    "pypi.org", "pythonhosted.org", "maven.org", "maven.apache.org", "sonatype.org", "docker.io", "quay.io", "ghcr.io",
    "npmjs.org", "npmjs.com", "conda.anaconda.org", "deb.debian.org", "confluent.io",
)  # fmt: skip
LOCAL_PATH = re.compile(r"(?<![\w.])/(?:work|tmp|root|home|mnt)(?:/|\b)")
SHORTEST_QUOTE = 8

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def test_the_generated_pages_are_current():
    assert docs.stale() == [], "run: ./run docs"


def test_a_page_that_is_missing_or_changed_is_stale(tmp_path):
    docs.write(tmp_path)
    assert docs.stale(tmp_path) == []
    (tmp_path / "cli.md").write_text("something else")
    (tmp_path / "configuration.md").unlink()
    assert {path.name for path in docs.stale(tmp_path)} == {"cli.md", "configuration.md"}


def test_the_command_line_page_has_every_option_and_every_exit_code():
    page = docs.cli_page()
    for path, (_, options) in commands().items():
        assert f"## tailrace {path}\n" in page
        assert all(option in page for option in options)
    assert {int(number) for number in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)} >= {0, 1, 2, 3, 4, 5, 6, 7, 8, 130}


def test_wrong_arguments_of_the_generator_give_exit_code_2(capsys):
    assert docs.main(["--chekc"]) == 2
    assert "usage" in capsys.readouterr().err


@every_page
def test_relative_links_lead_to_files_and_headings(page):
    broken = [target for target in links(page) if not leads_somewhere(page, target)]
    assert broken == []


@every_page
def test_no_page_names_a_registry_or_a_path_of_one_machine(page):
    text = page.read_text(encoding="utf-8")
    assert [host for host in REGISTRIES if host in text] == []
    assert LOCAL_PATH.findall(text) == []


@every_page
def test_commands_that_are_shown_exist(page):
    wrong = [line for line in command_lines(page) if not is_a_command(line)]
    assert wrong == []


@every_page
def test_connector_configurations_that_are_shown_are_accepted(page, monkeypatch):
    for name in ("MYSQL_PASSWORD", "SQLSERVER_PASSWORD", "DB2_PASSWORD"):
        monkeypatch.setenv(name, "secret")
    for document in connector_documents(page):
        assert from_mapping(document).warnings == ()


def test_messages_in_troubleshooting_are_in_the_code():
    page = (ROOT / "docs" / "guides" / "troubleshooting.md").read_text(encoding="utf-8")
    pieces = [piece for quote in quoted_messages(page) for piece in pieces_of(quote)]
    missing = [piece for piece in pieces if not any(piece in text for text in source_texts())]
    assert len(pieces) > 40
    assert missing == []


def test_what_the_guide_takes_from_change_tables_is_there():
    page = (ROOT / "docs" / "guides" / "write-a-connector.md").read_text(encoding="utf-8")
    section = page.partition("### A database with change tables")[2].partition("\n## ")[0]
    of_protocols = re.findall(r"((?:`\w+`, )*`\w+`) in `([\w/]+)\.py`", section)
    named = [(module, name) for names, module in of_protocols for name in re.findall(r"\w+", names)]
    named += [place.rpartition(".")[::2] for place in re.findall(r"`([a-z_.]+\.[A-Za-z_]+)`", section) if place[-3:] != ".py"]
    modules = [(f"tailrace.connectors.change_tables.{module.replace('/', '.')}", name) for module, name in named]
    assert len(modules) > 15
    assert [each for each in modules if not hasattr(importlib.import_module(each[0]), each[1])] == []


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            waiting += [page.parent / target.partition("#")[0] for target in links(page)]
    assert [page for page in PAGES if page.is_relative_to(ROOT / "docs") and page not in reached] == []


def links(page: Path) -> list[str]:
    """The targets of relative links, code blocks and code without a link around it left out."""
    text = CODE.sub("", BLOCK.sub("", page.read_text(encoding="utf-8")))
    return [target for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)]


def leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = (page.parent / path) if path else page
    if not file.exists():
        return False
    return not anchor or anchor in {slug(heading) for heading in HEADING.findall(file.read_text(encoding="utf-8"))}


def slug(heading: str) -> str:
    """A heading's anchor, as the usual renderers make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def command_lines(page: Path) -> Iterator[str]:
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language not in {"", "sh", "bash"}:
            continue
        for line in block.splitlines():
            command = line.strip().removeprefix("$ ")
            if command.startswith(("./run ", "tailrace ")):
                yield command


def is_a_command(line: str) -> bool:
    words = shlex.split(line, comments=True)
    if words[0] == "./run":
        return words[1] in run_commands() and (words[1] != "tailrace" or is_tailrace_command(words[2:]))
    return is_tailrace_command(words[1:])


def is_tailrace_command(words: list[str]) -> bool:
    for path, (arguments, options) in commands().items():
        names = path.split()
        if words[: len(names)] != names:
            continue
        rest = [word.strip("[]") for word in words[len(names) :]]
        given = [word for word in rest if word.startswith("--")]
        return set(given) <= set(options) and len(rest) >= len(arguments)
    return False


@cache
def run_commands() -> set[str]:
    """What `./run` knows."""
    text = (ROOT / "run").read_text(encoding="utf-8")
    cases = text[text.index("case $command in") :]
    return set(re.findall(r"^  ([\w-]+)\)", cases, re.MULTILINE))


@cache
def commands() -> dict[str, tuple[list[str], list[str]]]:
    """The commands by their words: their arguments and their options."""
    found = {}
    for path, command in docs._commands("", typer.main.get_command(app)):
        arguments = [p.name for p in command.params if p.param_type_name == "argument"]
        options = [option for p in command.params if p.param_type_name != "argument" for option in p.opts]
        found[path.strip()] = (arguments, options)
    return found


def connector_documents(page: Path) -> Iterator[dict[str, object]]:
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "json" and "connector.class" in block:
            yield json.loads(block)


def quoted_messages(page: str) -> Iterator[str]:
    """What stands in backticks in the first column of a table that quotes messages."""
    for table in re.findall(r"^\| Message says .*?(?:\n\n|\Z)", page, re.MULTILINE | re.DOTALL):
        for row in table.strip().splitlines()[2:]:
            yield from re.findall(r"`([^`]+)`", row.split(" | ")[0])


def pieces_of(quote: str) -> list[str]:
    """What must be found as it is: between the dots that stand for values."""
    return [piece.strip() for piece in quote.split("...") if len(piece.strip()) >= SHORTEST_QUOTE]


@cache
def source_texts() -> list[str]:
    """All literal texts of the code; a value in an f-string is cut out."""
    found = []
    for path in sorted((ROOT / "src" / "tailrace").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                found.append("".join(v.value if isinstance(v, ast.Constant) else "\0" for v in node.values))
    return found
