"""Properties that hold a list of Java's regular expressions."""

from __future__ import annotations

from tailrace.config.entries import Entry
from tailrace.config.problems import Problems
from tailrace.java_patterns import PatternError, compile_java, split_list


def read_expressions(entry: Entry | None, problems: Problems) -> tuple[str, ...]:
    """A list of expressions; Connect splits it at every comma and has no escape for one. A wrong one is added to `problems`."""
    if entry is None:
        return ()
    expressions = tuple(split_list(entry.text))
    try:
        for expression in expressions:
            compile_java(expression)
    except PatternError as error:
        problems.add(f"{entry.shown_name}: {entry.shown(str(error))}")
        return ()
    return expressions
