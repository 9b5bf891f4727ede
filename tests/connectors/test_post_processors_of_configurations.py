"""`post.processors` in configurations: both spellings, and what is wrong with one."""

import pytest

from support.configurations import MINIMAL
from tailrace.config.reselection import RESELECT, Reselection
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.schema.tables import TableId
from tailrace.source.options import parse_options

NEW = {"post.processors": "again", "post.processors.again.type": RESELECT}
OPTION = "post.processors.again.reselect."


def refused(properties, error=ConfigError):
    with pytest.raises(error) as raised:
        from_mapping(MINIMAL | properties)
    return str(raised.value)


def test_both_spellings_mean_the_same():
    options = {
        "columns.include.list": r"shop\.t:note,shop.u:.*",
        "null.values": "false",
        "use.event.key": "true",
        "error.handling.mode": "fail",
    }
    new = from_mapping(MINIMAL | NEW | {OPTION + name: value for name, value in options.items()})
    old = {"post.processors": "again", "again.type": RESELECT} | {f"again.reselect.{name}": each for name, each in options.items()}
    made = Reselection(alias="again", includes=(r"shop\.t:note", "shop.u:.*"), nulls=False, by_event_key=True, fails=True)
    assert new.reselections == from_mapping(MINIMAL | old).reselections == (made,)


def test_without_options_all_nulls_and_placeholders_are_meant():
    (made,) = from_mapping(MINIMAL | NEW).reselections
    assert made == Reselection(alias="again", unavailable=True, nulls=True)
    assert made.takes(TableId("shop", "", "t"), "note")


def test_expressions_match_whole_names_whatever_their_case():
    made = Reselection(alias="a", includes=("SHOP.t:note",), excludes=(".*",))
    assert made.takes(TableId("shop", "", "t"), "Note")
    assert not made.takes(TableId("shop", "", "t"), "note2")
    assert Reselection(alias="a", excludes=("dbo.t:x",)).takes(TableId("db", "dbo", "t"), "y")
    assert not Reselection(alias="a", excludes=("dbo.t:x",)).takes(TableId("db", "dbo", "t"), "x")


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"post.processors": "again"}, "post.processors.again.type is missing"),
        (NEW | {f"{OPTION}null.value": "true"}, "did you mean reselect.null.values?"),
        (NEW | {f"{OPTION}error.handling.mode": "skip"}, "reselect.error.handling.mode is 'skip'"),
        (NEW | {f"{OPTION}columns.include.list": "shop.(t:x"}, "reselect.columns.include.list"),
    ],
)
def test_what_is_wrong_is_named(properties, words):
    assert words in refused(properties)


def test_a_class_of_ones_own_is_refused_with_what_to_do():
    message = refused(NEW | {"post.processors.again.type": "org.example.Mask"}, UnsupportedError)
    assert "post.processors.again.type is 'org.example.Mask'" in message
    assert "write a transform in Python" in message


def test_one_that_can_do_nothing_is_a_warning():
    settings = from_mapping(MINIMAL | NEW | {f"{OPTION}null.values": "false", f"{OPTION}unavailable.values": "false"})
    assert any("it has no effect" in each for each in settings.warnings)


def test_dataframes_refuse_it():
    with pytest.raises(UnsupportedError, match=r"post\.processors=again: a task of a DataFrame"):
        parse_options(MINIMAL | NEW, MINIMAL["connector.class"])
