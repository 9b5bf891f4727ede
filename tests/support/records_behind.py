"""Transforms of a configuration on events of `row_changes`."""

from support.encoding import WITHOUT_SCHEMAS
from support.unit_settings import unit_settings
from tailrace.events.pipeline import RecordPipeline, transforms_of


def records_behind(event, *transforms, tolerant=False):
    """(topic, partition, timestamp, key, value, headers) of each record; `transforms` are (class, options)."""
    properties = {"transforms": ",".join(f"t{i}" for i in range(len(transforms)))}
    for i, (type_, options) in enumerate(transforms):
        properties |= {f"transforms.t{i}.{name}": value for name, value in {"type": type_, **options}.items()}
    if tolerant:
        properties["errors.tolerance"] = "all"
    pipeline = RecordPipeline(WITHOUT_SCHEMAS, transforms_of(unit_settings(properties)))
    found = []
    for records in pipeline.records([event], interleaved=True):
        for i in range(len(records)):
            headers = {header.name: header.values[i] for header in records.headers if header.values[i] is not None}
            place = records.topic, records.partition, int(records.timestamps[i])
            found.append((int(records.log_order[i]), *place, records.keys[i], records.values[i], headers))
    return [each[1:] for each in sorted(found, key=lambda each: each[0])]
