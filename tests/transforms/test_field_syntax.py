"""Paths to fields: what is between dots and backticks."""

import pytest

from tailrace.transforms.field_syntax import field_path


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        ("`a.b`.c", ("a.b", "c")),
        ("a.`b.c`", ("a", "b.c")),
        ("`a`b`", ("a`b",)),
        (r"`a\`.b`.c", ("a`.b", "c")),
        ("a.", ("a", "")),
        ("a`b.c", ("a`b", "c")),
    ],
)
def test_dots_divide_names_and_backticks_hold_them_together(text, names):
    assert field_path(text, "V2") == names


def test_the_first_version_knows_no_paths():
    assert field_path("`a.b`", "V1") == ("`a.b`",)


@pytest.mark.parametrize("text", ["`a", r"`a\`", "a.`b"])
def test_a_lone_backtick_is_an_error(text):
    with pytest.raises(ValueError, match="a backslash before it"):
        field_path(text, "V2")
