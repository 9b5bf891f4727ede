"""The list of known differences and the page that explains them agree."""

import re
from pathlib import Path

from tests.differential.compare import Difference
from tests.differential.db2.known import KNOWN as OF_DB2
from tests.differential.db2.known import LEFT_OUT as LEFT_OUT_OF_DB2
from tests.differential.known import KNOWN, Known, split
from tests.differential.sqlserver.known import KNOWN as OF_SQL_SERVER
from tests.differential.sqlserver.known import LEFT_OUT

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "differences.md"


def test_every_known_difference_is_explained_on_the_page():
    headings = re.findall(r"^#+ (.*?)\s*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {k.heading for k in (*KNOWN, *OF_SQL_SERVER, *OF_DB2, *LEFT_OUT, *LEFT_OUT_OF_DB2)} <= set(headings)


def test_no_known_difference_covers_a_whole_record():
    whole = [
        k
        for k in (*KNOWN, *OF_SQL_SERVER, *OF_DB2)
        for path in ("", "value", "key", "headers", "value.payload")
        if re.fullmatch(k.path, path)
    ]
    assert [k for k in whole if k.topic == ".*"] == []


def test_a_difference_of_another_field_topic_or_variant_is_not_explained(monkeypatch):
    rule = Known("a heading", topic=r"dbz\.d\.t", path=r"value\.payload\.after\.a", variant="defaults")
    monkeypatch.setattr("tests.differential.known.KNOWN", (rule,))
    fits = Difference("dbz.d.t", 3, "value.payload.after.a", 1, 2)
    others = [
        Difference("dbz.d.t", 3, "value.payload.after.ab", 1, 2),
        Difference("dbz.d.tt", 3, "value.payload.after.a", 1, 2),
    ]
    assert split("defaults", [fits, *others]) == (others, {rule: 1})
    assert split("other", [fits]) == ([fits], {})
