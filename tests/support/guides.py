"""Code that stands in a guide, as a module that can be imported."""

import importlib
import re
import sys
from pathlib import Path

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def module_of(guide, name, folder, monkeypatch):
    """The module that the guide's code block `# <name>.py` is, written to `folder` and imported from there."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (code,) = [block for block in blocks if block.startswith(f"# {name}.py\n")]
    return written(code, name, folder, monkeypatch)


def written(code, name, folder, monkeypatch):
    """A module of this code, imported from `folder` for the rest of the test."""
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    return importlib.import_module(name)


def properties_in(guide, first):
    """The properties of the guide's block that begins with this line."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```properties\n({re.escape(first)}\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return dict(line.split("=", 1) for line in block.replace("\\\\", "\\").splitlines())
