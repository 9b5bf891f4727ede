"""What becomes of the GTID set and of the era while the log is read."""

from dataclasses import replace
from uuid import UUID

import pytest

from support.one_table import ONLY_IT, ids, insert, make_table
from support.reading import begin, read_on
from tailrace.connectors.mysql.gtid import GtidSet, Source
from tailrace.connectors.mysql.log import Interval
from tailrace.connectors.mysql.log.items import Origin
from tailrace.connectors.mysql.log_progress import LogProgress
from tailrace.connectors.mysql.positions import RestartPosition

ONE, OTHER = UUID(int=1), UUID(int=2)
HERE = RestartPosition(file="b.000003", pos=700, gtids=f"{ONE}:1-7:9", server_uuid="u", file_created=5)
PREVIOUS = [Interval(Origin(ONE), 1, 10), Interval(Origin(OTHER), 1, 3)]


def test_a_file_that_begins_closes_gaps_of_the_set():
    place = LogProgress(HERE, HERE, None, by_gtids=False)
    place.note_previous(PREVIOUS, is_first=False)
    assert place.gtids == f"{ONE}:1-10,{OTHER}:1-3"


def test_but_not_those_of_sources_that_do_not_count():
    place = LogProgress(HERE, HERE, None, by_gtids=True, wanted=lambda source: source == str(ONE))
    place.note_previous(PREVIOUS, is_first=False)
    assert place.gtids == f"{ONE}:1-10"


@pytest.mark.parametrize(
    ("purged", "is_first", "known"),
    [(GtidSet.parse(f"{OTHER}:4"), False, f"{ONE}:1-10,{OTHER}:1-4"), (GtidSet(), True, None), (None, False, None)],
    ids=["on", "where reading began", "off"],
)
def test_a_set_that_was_not_known_begins_with_a_file_if_gtids_are_on(purged, is_first, known):
    here = replace(HERE, gtids=None)
    place = LogProgress(here, here, None, by_gtids=False, purged=purged)
    place.note_previous(PREVIOUS, is_first=is_first)
    assert place.gtids == known


@pytest.mark.parametrize(("server", "era"), [("u", 4), ("v", 1)])
def test_the_end_of_a_range_on_the_same_server_has_the_era(server, era):
    here = replace(HERE, era=1)
    place = LogProgress(here, here, None, by_gtids=False)
    place.set_range_end(replace(HERE, era=4, pos=900, server_uuid=server))
    progress = place.progress("b.000003", 900, 900, (None, 0), None, None)
    assert (progress.restart["era"], progress.delivered[:4]) == (era, f"{era:04}")


@pytest.mark.mysql
def test_a_set_that_lacks_a_transaction_has_it_from_the_next_file_on(mysql_server):
    make_table(mysql_server)
    settings, read = begin(mysql_server, **ONLY_IT)
    whole, source = GtidSet.parse(read.progress.restart["gtids"]), Source(mysql_server.variable("server_uuid"))
    last = whole.ranges(source)[-1][1] - 1
    read.progress.restart["gtids"] = str(whole.subtract(GtidSet.parse(f"{source}:{last}")))
    insert(mysql_server, 1)
    mysql_server.sql("FLUSH BINARY LOGS")
    insert(mysql_server, 2)
    read_on(settings, read)
    assert ids(read) == [1, 2]
    assert GtidSet.parse(read.progress.restart["gtids"]) == GtidSet.parse(mysql_server.variable("gtid_executed"))
