"""The JSON encoder: keys, values and headers in the format of Kafka Connect's JsonConverter.

A layout is compiled into a template when it first occurs; the template lives as long as the layout. With schemas a message is
`{"schema":…,"payload":…}`. The schema part is the same for every message of a layout, so it is a constant of the template and
rendered once.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from tailrace.changes.layouts import Layout
from tailrace.changes.records import Binary, Header
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.json_program import LayoutProgram, json_program
from tailrace.encoding.message_encoder import MessageEncoder


class JsonEncoder(MessageEncoder):
    """The `Encoder` of JSON; keys, values and headers have separate formats."""

    def __init__(self, key: JsonFormat, value: JsonFormat, header: JsonFormat) -> None:
        super().__init__(JsonMessages(key), JsonMessages(value), JsonMessages(header))


class JsonMessages:
    """Renders keys, values or headers, and keeps the templates of their layouts."""

    def __init__(self, format_: JsonFormat) -> None:
        self._format = format_
        self._programs: WeakKeyDictionary[Layout, LayoutProgram] = WeakKeyDictionary()

    def render(self, layout: Layout, records: SourceRecords, present: Mask | None = None) -> Binary:
        """One message for each record; null where `present` is false."""
        program = self._programs.get(layout)
        if program is None:
            program = self._programs[layout] = json_program(layout, records.columns, self._format)
        return program.render(records.columns, records.roles, present)

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """The same, and the headers that belong to it: none."""
        return self.render(layout, records, present), ()
