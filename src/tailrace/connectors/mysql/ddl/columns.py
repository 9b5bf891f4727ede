"""A column's definition: its data type and the attributes behind it.

Source: MySQL Reference Manual, "CREATE TABLE Statement", `column_definition`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tailrace.connectors.mysql.ddl.charsets import charset_of, read_collation
from tailrace.connectors.mysql.ddl.datatypes import TEXTUAL, DataType, read_data_type
from tailrace.connectors.mysql.ddl.defaults import read_default, read_now
from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.tokens import Token
from tailrace.schema.tables import Column

_SKIPPED_WITH_VALUE = ("COLUMN_FORMAT", "STORAGE", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE")


@dataclass(slots=True)
class ColumnDefinition:
    """What a definition says; `column` makes a column of it.

    Attributes:
        nullable: None where it is not said.
        has_default: whether a DEFAULT other than NULL is there; its text is None where the server computes
            it. automatic: the server fills it in: AUTO_INCREMENT or ON UPDATE. primary, unique: the column
            alone is a key.

    """

    name: str
    type: DataType
    charset: str | None = None
    nullable: bool | None = None
    has_default: bool = False
    default: str | None = None
    automatic: bool = False
    primary: bool = False
    unique: bool = False
    comment: str | None = None
    srid: int | None = None
    visible: bool = True

    def column(self, table_charset: str | None) -> Column:
        """The column, in a table of that default character set."""
        kind = self.type
        charset = self.charset
        if kind.jdbc in TEXTUAL and charset in {None, "default"}:
            charset = table_charset
        optional = not self.primary and self.nullable is not False
        return Column(
            name=self.name,
            type_name=kind.name,
            type_expression=kind.name,
            jdbc_type=kind.jdbc,
            length=kind.length,
            scale=kind.scale,
            charset=charset if kind.jdbc in TEXTUAL else None,
            optional=optional,
            auto_incremented=self.automatic,
            generated=self.automatic,
            has_default=self.has_default or optional,
            default=self.default,
            enum_values=kind.labels,
            comment=self.comment,
            srid=self.srid,
            visible=self.visible,
        )


def read_column(reader: Reader, name: str) -> ColumnDefinition:
    """The definition that comes next, behind the column's name."""
    kind = read_data_type(reader)
    found = ColumnDefinition(name, kind, kind.charset)
    if kind.serial:
        _serial(found)
    while _read_attribute(reader, found):
        pass
    return found


def _serial(found: ColumnDefinition) -> None:
    found.automatic, found.nullable, found.unique = True, False, True


def _read_attribute(reader: Reader, found: ColumnDefinition) -> bool:
    return _read_value(reader, found) or _read_key(reader, found) or _read_rest(reader, found)


def _read_value(reader: Reader, found: ColumnDefinition) -> bool:
    if reader.accept("NOT", "NULL"):
        found.nullable = False
    elif reader.accept("NULL"):
        found.nullable = True
    elif reader.accept("DEFAULT"):
        is_null = reader.is_("NULL")
        found.default = read_default(reader)
        found.has_default = not is_null
    elif reader.accept("ON", "UPDATE"):
        if not read_now(reader):
            reader.fail("CURRENT_TIMESTAMP is expected")
        found.automatic = True
    elif reader.accept("AUTO_INCREMENT"):
        found.automatic, found.nullable = True, False
    elif reader.accept("SERIAL", "DEFAULT", "VALUE"):
        _serial(found)
    else:
        return False
    return True


def _read_key(reader: Reader, found: ColumnDefinition) -> bool:
    if reader.accept("UNIQUE"):
        reader.accept("KEY")
        found.unique = True
    elif reader.accept("PRIMARY", "KEY") or reader.accept("PRIMARY") or reader.accept("KEY"):
        found.primary = True
    elif reader.is_("CONSTRAINT") or reader.is_("CHECK", "("):
        _skip_check(reader)
    elif reader.accept("REFERENCES"):
        _skip_reference(reader)
    else:
        return False
    return True


def _read_rest(reader: Reader, found: ColumnDefinition) -> bool:
    if collation := read_collation(reader):
        found.charset = found.charset or charset_of(collation)
    elif reader.accept("COMMENT"):
        found.comment = reader.raw_string()  # with its escapes, as Debezium has it
    elif reader.accept("GENERATED", "ALWAYS") or reader.accept("AS"):
        reader.accept("AS")
        reader.skip_parens()
    elif reader.accept_any("VIRTUAL", "STORED", "PERSISTENT") or reader.accept("NOT", "SECONDARY"):
        pass
    elif word := reader.accept_any("VISIBLE", "INVISIBLE"):
        found.visible = word == "VISIBLE"
    elif reader.accept("SRID"):
        found.srid = reader.number()
    elif reader.accept_any(*_SKIPPED_WITH_VALUE):
        reader.accept("=")
        reader.next()
    elif reader.accept("NOT", "ENFORCED") or reader.accept("ENFORCED"):
        pass
    else:
        return False
    return True


def _skip_check(reader: Reader) -> None:
    if reader.accept("CONSTRAINT") and not reader.is_("CHECK", "("):
        reader.name()
    reader.expect("CHECK")
    reader.skip_parens()


def _skip_reference(reader: Reader) -> None:
    reader.table_id()
    if reader.is_("("):
        reader.skip_parens()
    while True:
        if reader.accept("MATCH"):
            reader.next()
        elif reader.is_("ON", "DELETE") or (reader.is_("ON", "UPDATE") and not _is_time(reader.peek(2))):
            reader.at += 2
            _skip_action(reader)
        else:
            return


def _is_time(token: Token) -> bool:
    return token.upper.startswith(("CURRENT_TIMESTAMP", "NOW", "LOCALTIME"))


def _skip_action(reader: Reader) -> None:
    for words in (("SET", "NULL"), ("SET", "DEFAULT"), ("NO", "ACTION"), ("CASCADE",), ("RESTRICT",)):
        if reader.accept(*words):
            return
    reader.fail("an action is expected")
