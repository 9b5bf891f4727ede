"""What `--to` takes."""

import pytest

from tailrace.errors import ConfigError
from tailrace.sinks import check_target


@pytest.mark.parametrize(
    "target",
    [
        "files:out",
        "console",
        "kafka:broker:9092",
        "kafka:a:9092,b.example.org:9093",
        "kafka:[::1]:9092",
        "kafka:127.0.0.1:1",
    ],
)
def test_a_target_is_taken(target):
    check_target(target)


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("nowhere", "there is no such target; use kafka:HOST:PORT or files:DIR or console"),
        ("files:", "needs a folder"),
        ("kafka", "'' is no broker's address; use kafka:HOST:PORT"),
        ("kafka:broker", "'broker' is no broker's address"),
        ("kafka:broker:0", "'broker:0' is no"),
        ("kafka:broker:65536", "is no broker's address"),
        ("kafka:a:9092,", "'' is no broker's address"),
        ("kafka:a:9092, b:9092", "' b:9092' is no"),
        ("kafka:PLAINTEXT://a:9092", "is no broker's address"),
    ],
)
def test_a_wrong_target_says_what_is_right(target, complaint):
    with pytest.raises(ConfigError) as raised:
        check_target(target)
    assert complaint in str(raised.value)
