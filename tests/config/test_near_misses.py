"""What is said of an expression that matches nothing."""

import pytest

from tailrace.config import near_misses
from tailrace.config.near_misses import Candidate, escaped, near_miss
from tailrace.java_patterns import compile_java, split_regexes

ORDERS = ("orders", "order_items", "price$", "Größe", "a,b")
MYSQL = [Candidate(f"shop.{name}", (name,)) for name in ORDERS]
SQL_SERVER = [Candidate(f"dbo.{name}", (name, f"shop.dbo.{name}", f"shop.{name}")) for name in ORDERS]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("orders", "the list wants shop.orders"),
        ("`shop`.`orders`", "names stand without brackets and quotes: write shop.orders"),
        ("`orders`", "the list wants shop.orders"),
        ("shop. orders", "it has a blank or an invisible character in it: write shop.orders"),
        ("shop.\u200borders", "it has a blank or an invisible character in it: write shop.orders"),
        ("shop.order_*", "these are regular expressions, where .* stands for any text: write shop.order_.*"),
        ("shop.ord%", "these are regular expressions, where .* stands for any text: write shop.ord.*"),
        (r"shop\\.orders", r"one backslash is enough: write shop\.orders"),
        ("shop.orders;shop.x", "lists are cut at commas: write shop.orders,shop.x"),
        ("shop.price$", r"characters with a meaning in regular expressions need a backslash: write shop.price\$"),
        ("shop.größe", "is shop.Größe meant?"),
        ("shop.oders", "is shop.orders meant?"),
        (r"shop\.oders", "is shop.orders meant?"),
        ("[customers_by_country", ""),
        ("elsewhere.invoices", ""),
    ],
)
def test_a_name_of_mysql_is_met(expression, said):
    assert near_miss(expression, MYSQL) == said


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("orders", "the list wants dbo.orders"),
        ("shop.dbo.orders", "the list wants dbo.orders"),
        (r"shop\.dbo\.order.*", "the list wants dbo.orders or dbo.order_items"),
        ("[dbo].[orders]", "names stand without brackets and quotes: write dbo.orders"),
        ("[shop].[dbo].[orders]", "the list wants dbo.orders"),
        ("shop.dbo.*", "the list wants dbo.orders or dbo.order_items or dbo.price$ (or 2 more)"),
    ],
)
def test_a_name_of_sql_server_is_met(expression, said):
    assert near_miss(expression, SQL_SERVER) == said


@pytest.mark.parametrize("name", ORDERS)
def test_what_is_to_be_written_matches_when_it_is_written(name):
    (expression,) = split_regexes(escaped(name))
    assert compile_java(expression).fullmatch(name)


def test_among_very_many_names_nothing_alike_is_looked_for(monkeypatch):
    things = [Candidate("shop.orders"), Candidate("shop.items")]
    assert near_miss("shop.oders", things) == "is shop.orders meant?"
    monkeypatch.setattr(near_misses, "_COMPARED", 1)
    assert near_miss("shop.oders", things) == ""
    assert near_miss("`shop`.orders", things), "what can be tried is tried"
