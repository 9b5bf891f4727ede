"""How the processes of a run start fast.

`class_archive` is where Java keeps Spark's classes, ready to run. Nothing here knows a connector or a sink.
"""
