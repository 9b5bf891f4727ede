"""A task for crash tests: it opens lane 0 and delivers numbers from the sink's progress on, three in each commit.

python deliver_numbers.py ADDRESS PREFIX UNTIL GUARANTEE
"""

import sys

from support.kafka_sinks import SOURCE, fresh_records, progress
from support.unit_settings import unit_settings
from tailrace.sinks.kafka.sink import KafkaSink

STEP = 3

address, prefix, until, guarantee = sys.argv[1:]
settings = unit_settings({"topic.prefix": prefix, "tailrace.delivery.guarantee": guarantee})
sink = KafkaSink(address, settings, SOURCE, "run")
opened = sink.open(0)
print("opened", flush=True)
start = opened.progress.restart["n"] if opened.progress else 0
assert [record["n"] for record in opened.history] == list(range(0, start, STEP)), opened.history
for n in range(start, int(until), STEP):
    sink.write([fresh_records(f"{prefix}.t", [n, n + 1])])
    sink.write([fresh_records(f"{prefix}.t", [n + 2])])
    sink.commit(progress(n + STEP), [{"n": n}])
sink.close()
