"""TDS, the protocol of SQL Server: bytes of a connection to calls of a `Session`, its outcomes back to bytes.

Nothing here does SQL. What knows bytes does no I/O, but for `connection.py` and `pipe.py`.

- `packets.py`: messages in packets; `cursor.py`: reading them; `pipe.py`: a socket, plain or with TLS (`tls.py`)
- `prelogin.py`, `login.py`: how a connection begins
- `requests.py`, `parameters.py`: what a client asks; `prepared.py`: statements it has prepared; `transactions.py`
- `types.py`, `collations.py`, `moments.py`: how types, texts and times are told
- `encoding.py`, `decoding.py`, `variants.py`, `frames.py`: one value to bytes and back
- `rows.py`: rows to bytes; `columnar.py`: whole tables at once, from Arrow (`fixed.py`, `texts.py`, `written.py`, with loops
  in `kernels.py`); `bulk.py`: many rows by way of that
- `tokens.py`, `answers.py`: outcomes to tokens
- `connection.py`: one client, from its first byte to its last

Source: [MS-TDS], https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/
"""
