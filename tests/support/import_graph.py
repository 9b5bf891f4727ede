"""The graph of imports between files, read from the source with `ast`, and its cycles.

An import within a function counts: although Python can run such a cycle, neither file can be moved or tested without the
other. A parent package that Python executes on the way to a module does not count, unless a name is imported from it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

Graph = dict[str, set[str]]


def modules_of(folder: Path, prefix: str = "") -> dict[str, Path]:
    """The files below a folder by their dotted names; `prefix` is put before these."""
    files = (file for file in sorted(folder.rglob("*.py")) if "__pycache__" not in file.parts)
    return {prefix + ".".join(file.relative_to(folder).with_suffix("").parts): file for file in files}


def imports_of(modules: Mapping[str, Path], *, typing: bool) -> Graph:
    """For each module those of the others that it imports; `typing`: also those that only a type checker sees."""
    return {name: set(_imported(name, file, modules, typing=typing)) - {name} for name, file in modules.items()}


def drawn_together(graph: Mapping[str, Iterable[str]], part_of: Mapping[str, str]) -> Graph:
    """The graph of parts, each made of one or more modules."""
    parts: Graph = {part: set() for part in part_of.values()}
    for name, others in graph.items():
        parts[part_of[name]] |= {part_of[other] for other in others} - {part_of[name]}
    return parts


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Groups in which each reaches each, the largest first, the names in order."""
    between = _between_circles(graph)
    reached = {name: _reached(name, between) for name in between}
    groups = {tuple(sorted(other for other in reached[name] if name in reached[other])) for name in between}
    return sorted((list(group) for group in groups if group), key=lambda group: (-len(group), group))


def without(graph: Mapping[str, Iterable[str]], left_out: Iterable[tuple[str, str]]) -> Graph:
    """The graph without some of its imports."""
    missing = set(left_out)
    return {name: {other for other in others if (name, other) not in missing} for name, others in graph.items()}


def _between_circles(graph: Mapping[str, Iterable[str]]) -> Graph:
    """What is left when names that import nothing, or that nothing imports, are taken off again and again."""
    left = {name: set(others) for name, others in graph.items()}
    while True:
        imported = {other for others in left.values() for other in others}
        kept = {name for name, others in left.items() if others and name in imported}
        if len(kept) == len(left):
            return left
        left = {name: left[name] & kept for name in kept}


def _reached(name: str, graph: Graph) -> set[str]:
    """What a name imports, directly or not; itself where it is in a circle."""
    found: set[str] = set()
    ahead = list(graph[name])
    while ahead:
        other = ahead.pop()
        if other not in found:
            found.add(other)
            ahead += graph[other]
    return found


def _imported(name: str, file: Path, modules: Mapping[str, Path], *, typing: bool) -> Iterator[str]:
    for node, is_for_types in _imports(file):
        if is_for_types and not typing:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _known(alias.name, name, modules)
        else:
            source = _absolute(node, name)
            for alias in node.names:
                yield from _known(f"{source}.{alias.name}", name, modules) or _known(source, name, modules)


@cache
def _imports(file: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The import statements of a file, each with whether only a type checker sees it."""
    found = []
    ahead: list[tuple[ast.AST, bool]] = [(ast.parse(file.read_text()), False)]
    while ahead:
        node, is_for_types = ahead.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, is_for_types))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            ahead += [*((each, True) for each in node.body), *((each, is_for_types) for each in node.orelse)]
        elif not isinstance(node, ast.expr):
            ahead += [(each, is_for_types) for each in ast.iter_child_nodes(node)]
    return found


def _absolute(node: ast.ImportFrom, name: str) -> str:
    if not node.level:
        return node.module or ""
    return ".".join([*name.split(".")[: -node.level], *([node.module] if node.module else [])])


def _known(wanted: str, name: str, modules: Mapping[str, Path]) -> list[str]:
    """The module of that name; a script finds those that lie beside it, or in its root, without their prefix."""
    root = name.split(".")[0]
    for each in (wanted, f"{root}.{wanted}"):
        for module in (each, f"{each}.__init__"):
            if module in modules:
                return [module]
    return []
