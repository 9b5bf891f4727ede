"""The page that the comparisons are written to."""

import re
from types import SimpleNamespace

import pytest
from tests.differential import report
from tests.differential.db2 import report as of_db2
from tests.differential.db2.scenarios import SCENARIOS as OF_DB2
from tests.differential.sqlserver import report as of_sqlserver
from tests.differential.sqlserver.comparing import Outcome
from tests.differential.sqlserver.known import LEFT_OUT
from tests.differential.sqlserver.scenarios import SCENARIOS, named
from tests.differential.variants import VARIANTS


def test_a_part_that_is_made_anew_leaves_the_other_as_it_stands(tmp_path, monkeypatch):
    page = tmp_path / "new" / "page.md"
    texts = {
        "mysql": "# Compared\n\none\n",
        "sqlserver": f"{of_sqlserver.HEADING}\n\ntwo\n",
        "db2": f"{of_db2.HEADING}\n\nthree\n",
    }
    for name in report.PARTS:
        monkeypatch.setitem(report.MADE, name, lambda name=name: (texts[name], 3))
    assert report.main([str(page)]) == 9
    assert page.read_text() == "# Compared\n\none\n\n## SQL Server\n\ntwo\n\n## Db2\n\nthree\n"
    for name in report.PARTS:
        before, texts[name] = texts[name], texts[name] + "\nmore\n"
        assert report.main([str(page), "--only", name]) == 3
        assert page.read_text() == "\n".join(texts[each] for each in report.PARTS)
        assert before in page.read_text()


def test_a_scenarios_row_counts_its_records_topics_and_differences():
    record = SimpleNamespace(topic="dbz.d1.dbo.t")
    outcome = Outcome(named("two databases"), [record, record], [object()], {LEFT_OUT[0]: 4, LEFT_OUT[1]: 1})
    text = of_sqlserver.section([outcome])
    assert "2 records of 1 scenarios." in text
    assert "| two databases | `databases` | 2 | 1 | 5 | 1 |" in text


@pytest.mark.parametrize("of", [VARIANTS, SCENARIOS, OF_DB2], ids=["mysql", "sqlserver", "db2"])
def test_the_page_has_a_row_for_each_comparison_and_no_unknown_difference(of):
    rows = re.findall(
        r"^\| ([^|\n]+) \|(?:[^|\n]+\|)* (\d+) \|$", report.PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    others = dict(rows)
    assert {each.name: others.get(each.name) for each in of} == {each.name: "0" for each in of}
