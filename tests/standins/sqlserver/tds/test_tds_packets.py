"""Messages in packets, cut anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace_standins.sqlserver.tds.packets import HEADER, Inbox, Kind, Outbox, ProtocolError, packets


@given(data=st.binary(max_size=3000), size=st.integers(512, 700), cuts=st.lists(st.integers(1, 400), max_size=20))
def test_a_message_is_the_same_behind_packets_however_they_were_cut(data: bytes, size: int, cuts: list[int]) -> None:
    sent = packets(Kind.BATCH, data, size)
    inbox = Inbox()
    for cut in cuts:
        inbox.feed(sent[:cut])
        sent = sent[cut:]
    inbox.feed(sent)
    (message,) = inbox.messages()
    assert (message.kind, message.data, message.reset, message.ignored) == (Kind.BATCH, data, False, False)


@given(pieces=st.lists(st.binary(max_size=1500), max_size=6), size=st.integers(512, 600))
def test_an_answer_that_comes_in_pieces_is_sent_in_full_packets_and_one_last(pieces: list[bytes], size: int) -> None:
    outbox = Outbox(Kind.ANSWER, size, spid=51)
    sent = b"".join(outbox.add(piece) for piece in pieces) + outbox.finish()
    data, number = b"", 0
    while sent:
        kind, status, length, spid, count, _ = HEADER.unpack_from(sent)
        number += 1
        assert (kind, spid, count) == (Kind.ANSWER, 51, number)
        assert status == (1 if len(sent) == length else 0)
        assert length == size or status
        data += sent[HEADER.size : length]
        sent = sent[length:]
    assert data == b"".join(pieces)


def test_messages_one_behind_the_other_are_told_apart() -> None:
    inbox = Inbox()
    inbox.feed(packets(Kind.BATCH, b"one", 512) + packets(Kind.ATTENTION, b"", 512))
    assert [(message.kind, message.data) for message in inbox.messages()] == [
        (Kind.BATCH, b"one"),
        (Kind.ATTENTION, b""),
    ]


@pytest.mark.parametrize(
    ("status", "ignored", "reset", "keeps"),
    [(0x03, True, False, False), (0x09, False, True, False), (0x11, False, True, True)],
)
def test_flags_of_a_packet_are_the_message_s(status: int, ignored: bool, reset: bool, keeps: bool) -> None:
    inbox = Inbox()
    inbox.feed(HEADER.pack(Kind.BATCH, status, HEADER.size, 0, 1, 0))
    (message,) = inbox.messages()
    assert (message.ignored, message.reset, message.keeps_transaction) == (ignored, reset, keeps)


def test_a_packet_shorter_than_its_header_is_no_tds() -> None:
    inbox = Inbox()
    inbox.feed(HEADER.pack(Kind.BATCH, 1, 7, 0, 1, 0))
    with pytest.raises(ProtocolError, match="7 bytes"):
        list(inbox.messages())
