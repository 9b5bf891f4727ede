"""When channels are looked into."""

from tailrace.signals.polling import Polling


def test_the_first_look_is_at_once_and_the_next_after_the_interval():
    now = [100.0]
    polling = Polling(5000, lambda: now[0])
    assert polling.is_due()
    assert not polling.is_due()
    assert polling.milliseconds_left() == 5000
    now[0] = 104.0
    assert polling.milliseconds_left() == 1000
    now[0] = 105.0
    assert polling.milliseconds_left() == 0
    assert polling.is_due()


def test_late_looks_are_not_made_up_for():
    now = [0.0]
    polling = Polling(1000, lambda: now[0])
    assert polling.is_due()
    now[0] = 10.0
    assert polling.is_due()
    assert not polling.is_due()
