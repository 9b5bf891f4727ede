"""The reference page of the stand-in and what the code says of itself."""

import re
from pathlib import Path

import pytest

from tailrace_standins.sqlserver import cdc, reference

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reference" / "sqlserver-standin.md"
SOURCE = re.compile(r"https://(?:learn|support)\.microsoft\.com/[\w/-]+")


def test_each_page_that_a_rule_of_change_data_capture_comes_from_is_in_the_table() -> None:
    folder = Path(str(cdc.__file__)).parent
    named = {url for path in sorted(folder.glob("*.py")) for url in SOURCE.findall(path.read_text(encoding="utf-8"))}
    text = PAGE.read_text(encoding="utf-8")
    assert len(named) > 30
    assert sorted(url for url in named if url not in text) == []


@pytest.mark.parametrize(
    "name",
    [
        "`datetimeoffset`",
        "`STRING_AGG`",
        "`ROW_NUMBER`",
        "`DATEDIFF`",
        "`CHARINDEX`",
        "`OBJECT_ID`",
        "`@@TRANCOUNT`",
        "`sys.sp_columns_100`",
        "`sys.sp_cdc_enable_table`",
        "`sys.fn_cdc_get_max_lsn`",
        "`information_schema.COLUMNS`",
        "`is_tracked_by_cdc`",
        "| 1205 |",
        "| 22926 |",
    ],
)
def test_the_generated_page_has_names_of_each_kind(name: str) -> None:
    assert name in reference.render()


def test_what_is_refused_by_name_is_not_among_what_is_there() -> None:
    page = reference.render()
    assert page.count("`CHECKSUM`") == 1
    assert "`SET ANSI_NULLS` `OFF`" in page
