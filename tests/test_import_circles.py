"""No part of the code needs itself by way of another: what a part imports, directly or not, does not import the part.

Parts are the packages of tailrace (of `connectors` each folder by itself), those of the stand-ins and of the benchmarks, and
the files that stand beside them; then the same holds for single files. Between packages what is imported for types only
counts too, as a name is known either way. Between files it does not: two objects that hold each other, a session and its
server, name each other's types, and are one thing in two files.
"""

from functools import cache
from pathlib import Path

import pytest

from support.import_graph import circles, drawn_together, imports_of, modules_of, without

ROOT = Path(__file__).parents[1]

PACKAGES: list[tuple[str, str]] = []
"""Imports between packages that close a circle, and are still to go."""
FILES = [
]
"""The same between files."""


def part_of(module):
    names = module.split(".")
    if names[:2] == ["tailrace", "connectors"]:
        return ".".join(names[1:3]) if len(names) > 3 else "connectors"
    if names[0] == "tailrace":
        return names[1]
    return ".".join(names[:2])


@cache
def graph(of):
    modules = modules_of(ROOT / "src") | modules_of(ROOT / "standins" / "src") | modules_of(ROOT / "bench", "bench.")
    assert len(modules) > 500
    if of == "files":
        return imports_of(modules, typing=False)
    return drawn_together(imports_of(modules, typing=True), {name: part_of(name) for name in modules})


@pytest.mark.long
@pytest.mark.parametrize(("of", "known"), [("packages", PACKAGES), ("files", FILES)])
def test_nothing_imports_itself_by_way_of_others(of, known):
    found = circles(without(graph(of), known))
    assert not found, f"{of} in a circle: move what they share below both of them"


@pytest.mark.long
@pytest.mark.parametrize(
    ("of", "known", "one"), [(of, known, one) for of, known in (("packages", PACKAGES), ("files", FILES)) for one in known]
)
def test_an_exception_closes_a_circle(of, known, one):
    others = [each for each in known if each != one]
    assert any(set(one) <= set(circle) for circle in circles(without(graph(of), others))), f"{one} can be taken off the list"


@pytest.fixture
def tree(tmp_path):
    def write(texts):
        for name, text in texts.items():
            file = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return modules_of(tmp_path)

    return write


@pytest.mark.parametrize(
    "back",
    ["import p.a", "from p import a", "from p.a import x", "from . import a", "from .a import x", "def f():\n    from p.a import x"],
)
def test_a_circle_is_found_however_the_import_is_written(tree, back):
    modules = tree({"p.a": "from p.b import y", "p.b": "import p.c", "p.c": back, "p.d": "import p.a"})
    assert circles(imports_of(modules, typing=False)) == [["p.a", "p.b", "p.c"]]


def test_what_is_imported_for_types_only_counts_where_it_is_asked_for(tree):
    back = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.a\nelse:\n    import p.c"
    modules = tree({"p.a": "import p.b", "p.b": back, "p.c": "import p.b"})
    assert circles(imports_of(modules, typing=True)) == [["p.a", "p.b", "p.c"]]
    assert circles(imports_of(modules, typing=False)) == [["p.b", "p.c"]]


def test_packages_can_be_in_a_circle_where_no_files_are(tree):
    modules = tree({"p.a": "import q.a", "p.b": "", "q.a": "", "q.b": "import p.b"})
    files = imports_of(modules, typing=False)
    assert not circles(files)
    assert circles(drawn_together(files, {name: name[0] for name in files})) == [["p", "q"]]


def test_circles_that_share_nothing_are_apart_and_the_larger_is_first(tree):
    modules = tree({"a": "import b", "b": "import a", "c": "import d", "d": "import e\nimport a", "e": "import c"})
    assert circles(imports_of(modules, typing=False)) == [["c", "d", "e"], ["a", "b"]]


def test_a_package_is_imported_where_a_name_is_taken_from_it_and_not_on_the_way_to_a_module(tree):
    modules = tree({"p.__init__": "from p.a import x", "p.a": "from p.b import y", "p.b": "", "p.c": "from p import x"})
    assert imports_of(modules, typing=False)["p.a"] == {"p.b"}
    assert imports_of(modules, typing=False)["p.c"] == {"p.__init__"}
