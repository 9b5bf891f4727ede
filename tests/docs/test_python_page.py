"""Everything that Python programs import is on the reference page, with each of its parameters."""

import inspect

import pytest

import tailrace
from tailrace.docs.python_api import SHOWN, items, members_of, parameters_of, python_page
from tailrace.object_paths import load_object

FUNCTIONS = [
    function
    for _, place in SHOWN
    for one in [load_object(place)]
    for function in ([member for _, member in members_of(one)] if inspect.isclass(one) else [one])
    if inspect.isfunction(function)
]


def test_each_public_name_of_the_package_is_on_the_page():
    shown = {name for name, _ in SHOWN}
    assert {f"tailrace.{name}" for name in tailrace.__all__ if not name.startswith("__")} <= shown
    assert all(f"## {name}\n" in python_page() for name in shown)


@pytest.mark.parametrize("name", [name for name in tailrace.__all__ if not name.startswith("__")])
def test_a_public_name_leads_to_what_the_page_documents(name):
    assert getattr(tailrace, name) is load_object(dict(SHOWN)[f"tailrace.{name}"])
    assert name in dir(tailrace)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__qualname__)
def test_each_parameter_is_documented_and_no_other(function):
    told = items(function, "Args")
    wanted = {each.name for each in parameters_of(function)}
    if function.__name__ == "register":  # its one parameter is what its name says
        wanted.discard("spark")
    assert told.keys() == wanted
    assert all(told.values())
    assert function.__doc__


def test_what_is_no_name_of_the_package_is_said_as_usual():
    with pytest.raises(AttributeError, match="module 'tailrace' has no attribute 'steam'"):
        tailrace.steam  # noqa: B018
