"""The signal file: every line comes once, whenever it was written, and whatever happens to the reader."""

import errno
import json
import os
import random
import stat
import threading
from pathlib import Path

import pytest

from tailrace.errors import ConfigError
from tailrace.signals.file import PATIENCE_SECONDS, FileSignals
from tailrace.signals.model import Channel, ExecuteSnapshot, PauseSnapshot, Unreadable

EXAMPLE = """\
{"id":"d139b9b7-7777-4547-917d-111111111111", "type":"execute-snapshot", \
"data":{"data-collections": ["public.MyFirstTable", "public.MySecondTable"]}}
{"id":"d139b9b7-7777-4547-917d-222222222222", "type":"execute-snapshot", \
"data":{"data-collections": ["public2.MyFirstTable", "public2.MySecondTable"]}}"""


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file-signals.txt"


@pytest.fixture
def signals(path, clock):
    return FileSignals(path, clock=clock)


def line(id_):
    return json.dumps({"id": str(id_), "type": "pause-snapshot", "data": {}}) + "\n"


def append(path, text):
    with path.open("a") as file:
        file.write(text)


def ids(taken):
    return [signal.id for signal in taken.signals]


def handled(signals):
    """What there is, handled at once."""
    taken = signals.read()
    if taken is None:
        return []
    signals.mark_handled(taken)
    return ids(taken)


def moved_files(path):
    return sorted(path.parent.glob("*.taken"))


def test_the_example_of_the_documentation_with_blank_lines_and_no_last_newline(path, signals):
    path.write_text("\n\n  \n    \n" + EXAMPLE)
    first, second = signals.read().signals
    assert first == ExecuteSnapshot(
        id="d139b9b7-7777-4547-917d-111111111111",
        channel=Channel.FILE,
        kind=first.kind,
        collections=("public.MyFirstTable", "public.MySecondTable"),
    )
    assert second.collections == ("public2.MyFirstTable", "public2.MySecondTable")


def test_nothing_comes_of_no_file_an_empty_one_and_a_directory(path, signals):
    assert signals.read() is None
    path.touch()
    assert signals.read() is None
    path.unlink()
    path.mkdir()
    assert signals.read() is None
    assert moved_files(path) == []


def test_the_file_is_empty_once_it_was_read_and_has_its_rights(path, signals):
    append(path, line("a"))
    path.chmod(0o662)
    assert handled(signals) == ["a"]
    assert path.read_bytes() == b""
    assert stat.S_IMODE(path.stat().st_mode) == 0o662


def test_what_comes_later_comes_too(path, signals):
    for id_ in "abc":
        append(path, line(id_))
        assert handled(signals) == [id_]
        assert handled(signals) == []
    assert len(moved_files(path)) == 3


def test_a_program_that_holds_the_file_open_is_heard(path, signals):
    with path.open("a") as held:
        held.write(line("a"))
        held.flush()
        assert handled(signals) == ["a"]
        held.write(line("b"))
        held.flush()
        assert handled(signals) == ["b"]
        append(path, line("c"))
        held.write(line("d"))
        held.flush()
        assert handled(signals) == ["d"]
        assert handled(signals) == ["c"]


def test_half_a_line_waits_for_the_other_half(path, signals, clock):
    with path.open("a") as held:
        held.write(line("a") + line("b")[:20])
        held.flush()
        assert handled(signals) == ["a"]
        clock.now += PATIENCE_SECONDS / 2
        assert handled(signals) == []
        held.write(line("b")[20:])
        held.flush()
        assert handled(signals) == ["b"]


def test_half_a_line_that_stays_one_is_given_up(path, signals, clock):
    append(path, line("a") + line("b")[:20])
    assert handled(signals) == ["a"]
    clock.now += PATIENCE_SECONDS
    taken = signals.read()
    (found,) = taken.signals
    assert isinstance(found, Unreadable)
    assert repr(line("b")[:20].encode()) in found.reason
    signals.mark_handled(taken)
    assert signals.read() is None


def test_half_a_line_does_not_hold_other_signals_up(path, signals, clock):
    append(path, line("a")[:20])
    assert signals.read() is None
    append(path, line("b"))
    assert handled(signals) == ["b"]
    clock.now += PATIENCE_SECONDS
    assert isinstance(signals.read().signals[0], Unreadable)


def test_files_that_were_moved_go_when_the_progress_has_them_they_are_quiet_and_there_is_a_newer_one(path, signals):
    append(path, line("a"))
    taken = signals.read()
    signals.mark_handled(taken)
    (moved,) = moved_files(path)
    os.utime(moved, (0, 0))
    append(path, line("b"))
    assert handled(signals) == ["b"]
    assert moved.exists(), "nobody knows yet whether the progress with the mark came to its commit"
    later = FileSignals(path, mark=taken.mark)
    assert handled(later) == ["b"]
    assert moved.exists()
    append(path, line("c"))
    assert handled(later) == ["c"]
    assert not moved.exists()


def test_half_a_line_in_a_file_that_goes_is_told(path, signals):
    append(path, line("a")[:20])
    assert signals.read() is None
    os.utime(moved_files(path)[0], (0, 0))
    append(path, line("b"))
    taken = signals.read()
    assert isinstance(taken.signals[0], Unreadable)
    signals.mark_handled(taken)
    assert handled(signals) == ["b"]


def test_a_bad_line_does_not_keep_the_others(path, signals):
    path.write_bytes(line("a").encode() + b"nonsense\n\xff\xfe\n" + line("b").encode())
    a, nonsense, not_text, b = signals.read().signals
    assert (a.id, b.id) == ("a", "b")
    assert "the line begins with b'nonsense'" in nonsense.reason
    assert not_text.reason.startswith("it is not UTF-8")


def test_what_was_not_handled_comes_again(path, signals):
    append(path, line("a"))
    first = signals.read()
    assert signals.read() == first
    again = FileSignals(path)
    assert again.read() == first
    append(path, line("b"))
    assert ids(again.read()) == ["a"]


def test_a_reader_that_begins_with_the_mark_gives_nothing_twice(path, signals):
    append(path, line("a"))
    taken = signals.read()
    assert FileSignals(path, mark=taken.mark).read() is None
    append(path, line("b"))
    assert handled(FileSignals(path, mark=taken.mark)) == ["b"]


@pytest.mark.parametrize("mark", [None, "", "nonsense", "ab:1", "0" * 16 + ":99"])
def test_a_mark_of_another_file_means_nothing(path, mark):
    append(path, line("a"))
    assert handled(FileSignals(path, mark=mark)) == ["a"]


def test_files_of_others_are_let_be(path, signals):
    other = path.with_name("file-signals.txt.old.taken")
    other.write_text(line("other"))
    append(path, line("a"))
    assert handled(signals) == ["a"]
    assert other.exists()


def test_signs_of_patterns_may_stand_in_the_name(tmp_path):
    path = tmp_path / "a[1]*?.txt"
    signals = FileSignals(path)
    for id_ in "ab":
        append(path, line(id_))
        assert handled(signals) == [id_]


def test_a_link_stays_one(path, tmp_path):
    real = tmp_path / "real.txt"
    path.symlink_to(real)
    signals = FileSignals(path)
    for id_ in "ab":
        append(path, line(id_))
        assert handled(signals) == [id_]
        append(real, line(id_ + "2"))
        assert handled(signals) == [id_ + "2"]
    assert path.is_symlink()


def test_a_missing_right_is_told(path, signals, monkeypatch):
    def refused(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    append(path, line("a"))
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(ConfigError, match=r"signal\.file=.*can't be read and moved aside: Permission denied"):
        signals.read()


def test_a_file_that_vanishes_meanwhile_is_none(path, signals, monkeypatch):
    append(path, line("a"))
    monkeypatch.setattr("tailrace.signals.file._has_content", lambda path: path.unlink() or True)
    assert signals.read() is None


def write(path, name, count, seed):
    rng = random.Random(seed)
    number = 0
    while number < count:
        with path.open("ab", buffering=0) as file:
            for _ in range(rng.randrange(1, 4)):
                if number == count:
                    break
                file.write(line(f"{name}{number}").encode())  # in one piece: several append to the same file
                number += 1


def test_every_signal_comes_exactly_once_while_others_write_and_readers_die(path):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    writers = [threading.Thread(target=write, args=(path, name, 150, rng.randrange(2**32))) for name in "xyz"]
    for writer in writers:
        writer.start()
    found, signals, mark, quiet = [], FileSignals(path), None, 0
    while quiet < 3:
        taken = signals.read()
        quiet = quiet + 1 if taken is None and not any(writer.is_alive() for writer in writers) else 0
        if taken is None:
            continue
        if rng.random() < 0.3:  # it dies before its progress was kept
            signals = FileSignals(path, mark=mark)
            continue
        found += taken.signals
        mark = taken.mark
        if rng.random() < 0.3:  # it dies after that
            signals = FileSignals(path, mark=mark)
        else:
            signals.mark_handled(taken)
    assert all(isinstance(signal, PauseSnapshot) for signal in found)
    assert sorted(signal.id for signal in found) == sorted(f"{name}{n}" for name in "xyz" for n in range(150))
