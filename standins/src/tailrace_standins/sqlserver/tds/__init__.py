"""TDS (Tabular Data Stream), SQL Server's protocol: from a client's bytes to calls of a `Session`, and from outcomes to bytes.

Nothing here knows SQL. Only `connection.py` and `pipe.py` do I/O.

- `packets.py`: messages in packets; `cursor.py`: parsing messages; `pipe.py`: a socket, plain or with TLS (`tls.py`)
- `prelogin.py`, `login.py`: the start of a connection
- `requests.py`, `parameters.py`: requests; `prepared.py`: prepared statements; `transactions.py`: transaction requests
- `types.py`, `collations.py`, `temporal.py`: types, texts and times on the wire
- `encoding.py`, `decoding.py`, `variants.py`, `frames.py`: single values to bytes and back
- `rows.py`: rows to bytes; `columnar.py`: Arrow columns to rows (`fixed.py`, `texts.py`, `temporal_texts.py`, with
  loops in `kernels.py`); `bulk.py`: many rows through Arrow
- `tokens.py`, `answers.py`: outcomes to tokens
- `connection.py`: one client's connection

Source: [MS-TDS], https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/
"""
