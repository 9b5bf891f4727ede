"""The unread rest of a lane's segments."""

from dataclasses import replace

from tailrace.snapshot.places import Places
from tailrace.snapshot.segments import Segment

SEGMENTS = [Segment(name) for name in "abcd"]


def unread(place):
    return None if place.ended else place.rest


def test_places_are_read_in_their_order_and_none_that_ended():
    places = Places(SEGMENTS)
    for name in "abcd":
        place = next(iter(places))
        assert place.rest.table == name
        places.end(place)
    assert list(places) == []
    assert places.segments(unread) == ()


def test_what_is_left_has_the_rest_of_what_was_begun_and_then_what_waits():
    places = Places(SEGMENTS)
    first = next(iter(places))
    places.begin(first)
    first.rest = replace(first.rest, after=[7])
    assert places.segments(unread) == (Segment("a", [7]), *SEGMENTS[1:])
    places.end(first)
    assert places.segments(unread) == tuple(SEGMENTS[1:])


def test_a_place_that_ended_stays_while_a_row_of_it_is_held():
    places = Places(SEGMENTS)
    first, second, *_ = places
    places.end(first)
    places.end(second)
    assert places.segments(lambda place: first.rest if place is first else unread(place)) == (SEGMENTS[0], *SEGMENTS[2:])
    assert places.segments(unread) == tuple(SEGMENTS[2:])


def test_a_table_is_through_with_its_last_place():
    places = Places([Segment("a", None, [5]), Segment("a", [5])])
    first, second = places
    places.end(first)
    assert not places.through
    places.end(second)
    places.end(second)
    assert list(places.through) == ["a"]
    assert places.of("b") == ()


def test_a_later_place_may_end_first():
    places = Places(SEGMENTS)
    places.end(list(places)[2])
    assert [place.rest.table for place in places] == ["a", "b", "d"]
    assert places.segments(unread) == (*SEGMENTS[:2], SEGMENTS[3])
