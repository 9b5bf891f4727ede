"""Debezium's CloudEventsConverter: change events in the envelope of CloudEvents 1.0, in JSON or Avro.

An envelope's layout becomes that of a cloud event (`layouts.py`, with `attributes.py` and `texts.py`), which the encoders of
JSON and Avro write. `settings.py` and `properties.py` read the converter's properties, `metadata.py` says where an event's
metadata are found.
"""
