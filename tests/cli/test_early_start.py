"""What a run does before it has read its configuration."""

import pytest

from tailrace.cli.early_start import _lanes


@pytest.mark.parametrize(
    ("text", "lanes"),
    [
        ('{"config": {"tasks.max": "4"}}', 4),
        ('{"tasks.max":3,"snapshot.max.threads":"6"}', 6),
        ("tasks.max=5\n", 5),
        ("# tasks.max=8\n  ! tasks.max = 9\ntasks.max=2", 2),
        ("spec:\n  tasksMax: 2\n", 2),
        ("{}", 1),
        ('{"tasks.max": "${env:LANES}"}', None),
        ("tasks.max=many", None),
    ],
)
def test_lanes_are_seen_at_a_glance(tmp_path, text, lanes):
    file = tmp_path / "c.json"
    file.write_text(text)
    assert _lanes(file) == lanes


def test_where_there_is_no_file_there_is_one_lane(tmp_path):
    assert _lanes(tmp_path / "missing.json") == 1
