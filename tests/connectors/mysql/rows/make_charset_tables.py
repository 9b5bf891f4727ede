"""Writes src/tailrace/connectors/mysql/rows/charset_tables.py from a running server: what it converts each byte to.

python tests/connectors/mysql/rows/make_charset_tables.py --port 3306 > src/.../charset_tables.py
"""

from __future__ import annotations

import argparse
from typing import Any

import pymysql

SINGLE_BYTE = [
    "latin1",
    "latin2",
    "latin5",
    "latin7",
    "cp1250",
    "cp1251",
    "cp1256",
    "cp1257",
    "cp850",
    "cp852",
    "cp866",
    "greek",
    "hebrew",
    "koi8r",
    "koi8u",
    "macce",
    "macroman",
    "armscii8",
    "dec8",
    "hp8",
    "keybcs2",
    "geostd8",
    "swe7",
    "tis620",
]

HEAD = '''"""MySQL's single-byte character sets: the character of each byte, `\\\\ufffd` where there is none.

Generated from MySQL {version} by tests/connectors/mysql/rows/make_charset_tables.py. The bytes below 128 are ASCII,
but for swe7, whose whole table stands here.
"""

from typing import Final

UPPER_HALVES: Final[dict[str, str]] = {{'''


def characters(cursor: Any, charset: str) -> str:
    """The 256 characters of a single-byte set, as the server converts them."""
    columns = ", ".join(f"CONVERT(_{charset} x'{byte:02x}' USING utf32)" for byte in range(256))
    cursor.execute(f"SELECT {', '.join(f'HEX({c.strip()})' for c in columns.split(','))}")
    codes = [int(text, 16) for text in cursor.fetchone()]
    return "".join(
        "\ufffd" if (code == 0x3F and byte != 0x3F) or (code == 0 and byte) else chr(code)
        for byte, code in enumerate(codes)
    )


def eucjpms_extension(cursor: Any) -> str:
    """IBM's extended characters in eucjpms, 8F F3 F3 to 8F F4 FE."""
    cells = [(0xF3, c) for c in range(0xF3, 0xFF)] + [(0xF4, c) for c in range(0xA1, 0xFF)]
    cursor.execute(
        "SELECT " + ", ".join(f"HEX(CONVERT(_eucjpms x'8f{a:02x}{b:02x}' USING utf32))" for a, b in cells)
    )
    return "".join(chr(int(text, 16)) for text in cursor.fetchone())


def lines(text: str) -> None:
    for i in range(0, len(text), 16):
        print("        " + '"' + "".join(f"\\u{ord(c):04x}" for c in text[i : i + 16]) + '"')


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=3306)
    with pymysql.connect(host="127.0.0.1", port=parser.parse_args().port, user="root") as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT VERSION()")
        print(HEAD.format(version=cursor.fetchone()[0].split("-")[0]))
        for charset in SINGLE_BYTE:
            text = characters(cursor, charset)
            half = text if charset == "swe7" else text[128:]
            print(f'    "{charset}": (')
            lines(half)
            print("    ),")
        print("}\n\nEUCJPMS_EXTENSION: Final = (")
        lines(eucjpms_extension(cursor))
        print(')\n"""IBM\'s extended characters in eucjpms, from 8F F3 F3 on, 94 to a row."""')


if __name__ == "__main__":
    main()
