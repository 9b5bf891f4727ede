from tailrace_standins.sqlserver.cdc import lsn


def test_numbers_ascend_with_positions_and_slots() -> None:
    numbers = [lsn.of_position(0x25, position, slot) for position in (1, 2, 3, 2**21, 2**22) for slot in (1, 2, 3)]
    assert numbers == sorted(set(numbers))
    assert all(len(number) == 10 for number in numbers)


def test_a_new_first_file_is_above_all_that_was_before() -> None:
    last = lsn.of_position(0x25, 5_000_000, lsn.COMMIT)
    assert lsn.of_position(lsn.file_of(last) + 1, 1, lsn.BEGIN) > last


def test_increment_and_decrement_are_each_other_s_way_back() -> None:
    number = bytes.fromhex("0000002500000018ffff")
    assert lsn.increment(number) == bytes.fromhex("00000025000000190000")
    assert lsn.decrement(lsn.increment(number)) == number
    assert lsn.increment(lsn.HIGHEST) == lsn.ZERO


def test_scan_sessions_show_a_number_with_a_nul_behind_it() -> None:
    assert lsn.lsn_text(lsn.ZERO) == "00000000:00000000:0000\0"
    assert lsn.lsn_text(lsn.of_position(0x25, 1, 3)) == "00000025:00000018:0003\0"
