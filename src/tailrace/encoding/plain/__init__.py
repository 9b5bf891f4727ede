"""Converters of single values, which register no schema: text, bytes, numbers, booleans.

`settings.py` reads their properties, `encoder.py` makes what encodes; the formats are in `bytes.py`, `numbers.py` and
`encoding/strings.py`.
"""
