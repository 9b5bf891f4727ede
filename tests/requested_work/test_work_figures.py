"""What is shown of an incremental snapshot, chunk after chunk."""

from tailrace.requested_work.figures import TableSize, WorkFigures
from tailrace.requested_work.work import TableWork, Work
from tailrace.schema.tables import TableId

A, B = TableId("shop", "", "a"), TableId("shop", "", "b")
NAME_OF_A, NAME_OF_B = '"shop"."a"', '"shop"."b"'


class Clock:
    """Seconds, which pass when a test says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1
        return self.now


def read(figures, work, table, rows, sizes=None):
    figures.note_work(work)
    figures.note_sizes(sizes or {})
    figures.note_chunk(table, rows)


def test_nothing_is_told_where_nothing_is_read():
    figures = WorkFigures(Clock())
    figures.note_work(Work())
    assert figures.figures(Work()) is None


def test_tables_are_told_from_the_first_chunk_to_the_end_of_the_last():
    figures, both = WorkFigures(Clock()), Work((TableWork(A), TableWork(B)))
    read(figures, both, A, 30, {A: TableSize(100, (1, 201)), B: TableSize(50, None)})
    work = Work((TableWork(A, after=(101,), rows=30), TableWork(B)))
    told = figures.figures(work)
    assert (told["rows"], told["chunks"], told["tables"], told["done"], told["ended"]) == (30, 1, 2, 0, False)
    assert told["of"] == {NAME_OF_A: {"rows": 30, "about": 75, "chunks": 1, "part": 0, "parts": 1, "done": False}}
    assert told["about"] == 75 + 50, "the place between the least and the greatest key counts beside the estimate"
    assert told["beside"]
    read(figures, work, A, 20)
    told = figures.figures(Work((TableWork(B),)))
    assert told["of"][NAME_OF_A] | {"about": 50, "done": True} == told["of"][NAME_OF_A]
    read(figures, Work((TableWork(B),)), B, 7)
    told = figures.figures(Work())
    assert (told["rows"], told["done"], told["ended"]) == (57, 2, True)
    assert figures.figures(Work()) is None, "it is over"


def test_rows_of_before_a_restart_are_no_speed():
    figures, work = WorkFigures(Clock()), Work((TableWork(A, rows=1000),))
    read(figures, work, A, 10)
    told = figures.figures(work)
    assert (told["before"], told["rows"]) == (1000, 1010)


def test_a_table_that_is_stopped_counts_as_done_with_what_it_has():
    figures, work = WorkFigures(Clock()), Work((TableWork(A),))
    read(figures, work, A, 10, {A: TableSize(1000, None)})
    told = figures.figures(work.without([A]))
    assert (told["ended"], told["rows"], told["about"]) == (True, 10, 10)


def test_a_table_that_is_asked_for_later_joins_the_others():
    figures = WorkFigures(Clock())
    read(figures, Work((TableWork(A),)), A, 10)
    told = figures.figures(Work((TableWork(A), TableWork(B))))
    assert told["tables"] == 2
