"""Parses CREATE, ALTER, DROP, RENAME, COMMENT.

Source: IBM Db2 documentation, "CREATE TABLE", "ALTER TABLE", "CREATE INDEX" (SQL reference)
"""

from __future__ import annotations

from dataclasses import replace

from tailrace_standins.db2.engine import tree
from tailrace_standins.db2.engine.parsing.lexer import Kind
from tailrace_standins.db2.engine.parsing.queries import Queries


class Definitions(Queries):
    """Reads definitions."""

    def create(self) -> tree.CreateTable | tree.CreateIndex | tree.CreateSchema:
        """CREATE."""
        self.expect("CREATE")
        if self.word("SCHEMA"):
            return tree.CreateSchema(self.name())
        unique = self.word("UNIQUE")
        if self.word("INDEX"):
            names = self.names()
            self.expect("ON")
            table = self.names()
            key = tree.Key("UNIQUE" if unique else "INDEX", self._key_columns(), names[-1])
            self.skip()
            return tree.CreateIndex(names, table, key)
        self.expect("TABLE")
        return self._table()

    def _table(self) -> tree.CreateTable:
        made = tree.CreateTable(self.names())
        if self.word("LIKE"):
            made = replace(made, like=self.names())
        elif self.word("AS"):
            self.expect_sign("(")
            made = replace(made, query=self.query())
            self.expect_sign(")")
            if not self.word("DEFINITION", "ONLY"):
                self.expect("WITH", "NO", "DATA")
        else:
            self.expect_sign("(")
            columns: list[tree.ColumnDefinition] = []
            keys: list[tree.Key] = []
            while True:
                if (key := self._constraint()) is not None:
                    keys.append(key)
                else:
                    columns.append(self.column_definition())
                if not self.sign(","):
                    break
            self.expect_sign(")")
            made = replace(made, columns=tuple(columns), keys=tuple(keys))
        while self.token.kind is not Kind.END:  # IN, ORGANIZE BY ROW, COMPRESS and the like are of no effect here
            if self.word("DATA", "CAPTURE"):
                made = replace(made, captured=self.any_word("CHANGES", "NONE") == "CHANGES")
            else:
                self.take()
        return made

    def _constraint(self) -> tree.Key | None:
        name = ""
        if self.at_word("CONSTRAINT"):
            self.take()
            name = self.name()
        kind = ""
        if self.at_word("PRIMARY", "KEY"):
            self.take()
            kind = f"PRIMARY {self.take().text}"
        elif self.at_word("UNIQUE") and self.ahead().text == "(":
            kind = self.take().text
        elif name or (self.at_word("FOREIGN", "KEY")) or (self.at_word("CHECK") and self.ahead().text == "("):
            raise self.wrong("PRIMARY KEY")
        return tree.Key(kind, self._key_columns(), name) if kind else None

    def _key_columns(self) -> tuple[tuple[str, bool], ...]:
        self.expect_sign("(")
        found = []
        while True:
            name = self.name()
            found.append((name, self.any_word("ASC", "DESC") == "DESC"))
            if not self.sign(","):
                break
        self.expect_sign(")")
        return tuple(found)

    def column_definition(self) -> tree.ColumnDefinition:
        """A column with its type and options."""
        made = tree.ColumnDefinition(self.name(), self.type())
        while True:
            if self.word("NOT", "NULL"):
                made = replace(made, nullable=False)
            elif self.at_word("WITH", "DEFAULT") or self.at_word("DEFAULT"):
                self.word("WITH")
                self.take()
                made = replace(made, default=self._default())
            elif self.word("GENERATED"):
                made = self._generated(made)
            elif self.word("PRIMARY", "KEY"):
                made = replace(made, key="PRIMARY KEY", nullable=False)
            elif self.at_word("UNIQUE"):
                made = replace(made, key=self.take().text)
            elif self.word("INLINE", "LENGTH"):
                self.number()
            elif self.any_word("LOGGED", "COMPACT", "NULL") or (
                self.at_word("NOT") and self.ahead().text in {"LOGGED", "COMPACT"}
            ):
                if self.word("NOT"):
                    self.take()
            else:
                return made

    def _default(self) -> str:
        """The text of a default, as SYSCAT.COLUMNS shows it; empty for the type's own."""
        begin = self.token.at
        if (
            self.at_sign(",")
            or self.at_sign(")")
            or self.token.kind is Kind.END
            or self.token.text in {"NOT", "ADD", "ALTER", "PRIMARY"}
        ):
            return ""
        self.expression()
        return self.sql[begin : self.token.at].strip()

    def _generated(self, made: tree.ColumnDefinition) -> tree.ColumnDefinition:
        always = self.word("ALWAYS")
        if not always:
            self.expect("BY", "DEFAULT")
        self.expect("AS")
        if self.word("IDENTITY"):
            start, step = 1, 1
            if self.sign("("):
                while not self.sign(")"):
                    if self.word("START", "WITH"):
                        start = self.number()
                    elif self.word("INCREMENT", "BY"):
                        step = self.number()
                    else:
                        self.take()
            return replace(made, identity=tree.Identity(always, start, step), nullable=False)
        self.expect_sign("(")
        begin = self.token.at
        self.expression()
        text = self.sql[begin : self.token.at].strip()
        self.expect_sign(")")
        return replace(made, generated=text)

    def alter(self) -> tree.AlterTable:
        """ALTER TABLE."""
        self.expect("ALTER", "TABLE")
        names = self.names()
        found: list[tree.Alteration] = []
        while self.token.kind is not Kind.END:
            found.append(self._alteration())
        return tree.AlterTable(names, tuple(found))

    def _alteration(self) -> tree.Alteration:
        if self.word("ADD"):
            if (key := self._constraint()) is not None:
                return tree.Alteration("ADD KEY", key=key)
            self.word("COLUMN")
            return tree.Alteration("ADD", definition=self.column_definition())
        if self.word("DROP"):
            if self.word("PRIMARY", "KEY"):
                return tree.Alteration("DROP PRIMARY KEY")
            if self.any_word("UNIQUE", "CONSTRAINT"):
                return tree.Alteration("DROP KEY", self.name())
            self.word("COLUMN")
            made = tree.Alteration("DROP", self.name())
            self.any_word("CASCADE", "RESTRICT")
            return made
        if self.word("RENAME"):
            self.word("COLUMN")
            old = self.name()
            self.expect("TO")
            return tree.Alteration("RENAME", old, text=self.name())
        if self.word("DATA", "CAPTURE"):
            captured = self.any_word("CHANGES", "NONE")
            if captured == "CHANGES" and self.word("INCLUDE"):
                self.expect("LONGVAR", "COLUMNS")
            return tree.Alteration("CAPTURE", text=captured)
        if self.word("ALTER"):
            self.word("COLUMN")
            column = self.name()
            if self.word("SET", "DATA", "TYPE"):
                return tree.Alteration("TYPE", column, tree.ColumnDefinition(column, self.type()))
            if self.word("SET", "NOT", "NULL"):
                return tree.Alteration("NOT NULL", column)
            if self.word("DROP", "NOT", "NULL"):
                return tree.Alteration("NULL", column)
            if self.word("DROP", "DEFAULT"):
                return tree.Alteration("DROP DEFAULT", column)
            self.expect("SET")
            self.word("WITH")
            self.expect("DEFAULT")
            return tree.Alteration("DEFAULT", column, text=self._default())
        if self.at_word("VOLATILE") or self.at_word("NOT"):
            volatile = not self.word("NOT")
            self.expect("VOLATILE")
            self.word("CARDINALITY")
            return tree.Alteration("VOLATILE" if volatile else "NOT VOLATILE")
        raise self.wrong("ADD")

    def drop(self) -> tree.Drop:
        """DROP."""
        self.expect("DROP")
        kind = self.any_word("TABLE", "INDEX", "SCHEMA")
        if not kind:
            raise self.wrong("TABLE")
        if_exists = self.word("IF", "EXISTS")
        names = self.names()
        self.any_word("RESTRICT")
        return tree.Drop(kind, names, if_exists)

    def rename(self) -> tree.Rename:
        """RENAME TABLE."""
        self.expect("RENAME")
        self.word("TABLE")
        names = self.names()
        self.expect("TO")
        return tree.Rename(names, self.name())

    def comment(self) -> tree.Comment:
        """COMMENT ON TABLE or COLUMN."""
        self.expect("COMMENT", "ON")
        kind = self.any_word("TABLE", "COLUMN")
        names = self.names()
        self.expect("IS")
        text = self.take().text
        return tree.Comment(names[:-1], names[-1], text) if kind == "COLUMN" else tree.Comment(names, "", text)
