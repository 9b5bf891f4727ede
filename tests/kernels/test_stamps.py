"""A stamp changes with every text that a kernel's code may depend on, and with nothing else."""

import importlib
import sys

import pytest

from tailrace.kernels import stamps

CACHES = (stamps.stamp, stamps.text_of, stamps._imported, stamps._text)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a kernel that takes a part from one module and a constant from another."""
    folder = tmp_path / "tailrace_stamped"
    folder.mkdir()
    texts = {
        "__init__": "",
        "kernel": "from tailrace.kernels.compiling import entry\nfrom tailrace_stamped import part\n",
        "part": "from tailrace.kernels.compiling import inlined\nfrom tailrace_stamped.numbers import (\n    ONE,\n)\n",
        "numbers": "from tailrace_stamped.far import TWO\nONE = 1\n",
        "far": "TWO = 2\n",
        "other": "",
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield folder
    sys.modules.pop("tailrace_stamped", None)
    forget()


def forget():
    for each in CACHES:
        each.cache_clear()


@pytest.mark.parametrize(
    ("changed", "counts"), [("kernel", True), ("part", True), ("numbers", True), ("far", False), ("other", False)]
)
def test_texts_of_the_module_of_its_parts_and_of_its_constants_count(package, changed, counts):
    before = stamps.stamp("tailrace_stamped.kernel")
    with (package / f"{changed}.py").open("a") as file:
        file.write("# changed\n")
    forget()
    assert (stamps.stamp("tailrace_stamped.kernel") != before) is counts


def test_the_same_texts_elsewhere_have_the_same_stamp(package, tmp_path, monkeypatch):
    before = stamps.stamp("tailrace_stamped.kernel")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    package.rename(elsewhere / package.name)
    sys.modules.pop("tailrace_stamped")
    forget()
    monkeypatch.syspath_prepend(elsewhere)
    importlib.invalidate_caches()
    assert stamps.stamp("tailrace_stamped.kernel") == before


def test_a_module_that_is_missing_is_named():
    with pytest.raises(ModuleNotFoundError, match=r"tailrace\.no_such_module"):
        stamps.text_of("tailrace.no_such_module")
