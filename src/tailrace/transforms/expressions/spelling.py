"""Parts of an expression as text again, for messages."""

from __future__ import annotations

from tailrace.transforms.expressions.syntax import Call, Group, Member, Name, Node


def spelt(node: Node) -> str:
    """A chain of fields as one writes it; other parts are only named."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Member):
        return f"{spelt(node.of)}.{node.name}"
    if isinstance(node, Call):
        return f"{spelt(node.of)}.{node.method}()"
    if isinstance(node, Group):
        return spelt(node.inner)
    return "a value"
