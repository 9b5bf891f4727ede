"""Parses CREATE, ALTER and DROP of logins, users and roles, and GRANT, DENY, REVOKE.

Sources: "CREATE LOGIN", https://learn.microsoft.com/sql/t-sql/statements/create-login-transact-sql;
"CREATE USER", https://learn.microsoft.com/sql/t-sql/statements/create-user-transact-sql;
"ALTER ROLE", https://learn.microsoft.com/sql/t-sql/statements/alter-role-transact-sql;
"GRANT", https://learn.microsoft.com/sql/t-sql/statements/grant-transact-sql
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.engine import tree
from tailrace_standins.sqlserver.engine.errors import unsupported
from tailrace_standins.sqlserver.engine.parsing.tables import TableReader

_CLASSES: Final = frozenset(("OBJECT", "SCHEMA", "DATABASE"))


class SecurityReader(TableReader):
    """Parses statements about principals and permissions."""

    def ignored(self) -> tree.Ignored:
        """A statement of which only the end matters."""
        start = self.token.start
        while self.token.kind != "end" and not self.at(";"):
            self.advance()
        return tree.Ignored(self.text_between(start, self.token.start))

    def _create_principal(self) -> tree.Statement | None:
        if self.accept("LOGIN"):
            return self._create_login()
        if self.accept("USER"):
            return self._create_user()
        if self.accept("ROLE"):
            name = self.name()
            if self.accept("AUTHORIZATION"):
                self.name()
            return tree.CreateRole(name)
        return None

    def _create_login(self) -> tree.Statement:
        name = self.name()
        if not self.accept("WITH"):
            raise unsupported("CREATE LOGIN without a password")
        options = self._options()
        if "PASSWORD" not in options:
            raise unsupported("CREATE LOGIN without a password")
        return tree.CreateLogin(name, options["PASSWORD"], options.get("DEFAULT_DATABASE", "master"))

    def _options(self) -> dict[str, str]:
        """`PASSWORD = '…' MUST_CHANGE, DEFAULT_DATABASE = [x], CHECK_POLICY = OFF`; a hash for a password is refused."""
        found: dict[str, str] = {}
        while True:
            name = self.any_name().upper()
            self.expect("=")
            if self.token.kind == "binary":
                raise unsupported(f"{name} = a hash or a number")
            found[name] = self.advance().text
            if self.at_any("HASHED", "MUST_CHANGE", "UNLOCK", "OLD_PASSWORD"):
                raise unsupported(f"{self.token.key} of a login")
            if not self.accept(","):
                return found

    def _create_user(self) -> tree.Statement:
        name, login, schema = self.name(), None, "dbo"
        if self.accept("WITHOUT", "LOGIN"):
            login = ""
        elif self.accept("FOR") or self.accept("FROM"):
            if not self.accept("LOGIN"):
                raise unsupported(f"CREATE USER … FOR {self.token.text.upper()}")
            login = self.name()
        if self.accept("WITH"):
            options = self._options()
            if "PASSWORD" in options:
                raise unsupported("users with passwords of their own")
            schema = options.get("DEFAULT_SCHEMA", "dbo")
        return tree.CreateUser(name, name if login is None else login, schema)

    def _alter_principal(self) -> tree.Statement | None:
        if self.accept("LOGIN"):
            return self._alter_login()
        if self.accept("ROLE"):
            return self._alter_role(is_server=False)
        if self.accept("SERVER", "ROLE"):
            return self._alter_role(is_server=True)
        if self.at("USER"):
            raise unsupported("ALTER USER")
        return None

    def _alter_login(self) -> tree.Statement:
        altered = tree.AlterLogin(self.name())
        if self.at_any("ENABLE", "DISABLE"):
            altered.is_disabled = self.advance().key == "DISABLE"
            return altered
        self.expect("WITH")
        options = self._options()
        if "NAME" in options:
            raise unsupported("ALTER LOGIN … WITH NAME")
        altered.password, altered.database = options.get("PASSWORD"), options.get("DEFAULT_DATABASE")
        return altered

    def _alter_role(self, *, is_server: bool) -> tree.Statement:
        name = self.name()
        if not self.at_any("ADD", "DROP"):
            raise unsupported("ALTER ROLE … WITH NAME")
        is_added = self.advance().key == "ADD"
        self.expect("MEMBER")
        return tree.AlterRole(name, self.name(), is_added, is_server)

    def _drop_principal(self, kind: str) -> tree.Statement:
        if_exists = self.accept("IF", "EXISTS")
        return tree.DropPrincipal(kind, self.name(), if_exists)

    def _grant(self) -> tree.Statement:
        verb = self.advance().key
        if verb == "REVOKE" and self.accept("GRANT", "OPTION", "FOR"):
            raise unsupported("REVOKE GRANT OPTION FOR")
        granted = tree.Grant(verb, self._actions())
        if self.accept("ON"):
            granted.kind = self.advance().key if self.ahead().key == "::" else "OBJECT"
            if granted.kind not in _CLASSES:
                raise unsupported(f"permissions on {granted.kind}")
            self.accept("::")
            granted.on = self.names()
        if not (self.accept("TO") or (verb == "REVOKE" and self.accept("FROM"))):
            raise self.wrong()
        granted.principals.append(self.any_name())
        while self.accept(","):
            granted.principals.append(self.any_name())
        if self.at("WITH", "GRANT") or self.at_any("CASCADE", "AS"):
            raise unsupported(f"{verb} … {'WITH GRANT OPTION' if self.at('WITH') else self.token.key}")
        return granted

    def _actions(self) -> tuple[str, ...]:
        found = []
        while True:
            words = [self.advance().key]
            while self.token.kind == "word" and not self.at_any("ON", "TO", "FROM"):
                words.append(self.advance().key)
            if self.at("("):
                raise unsupported("permissions on columns")
            found.append(" ".join(words))
            if not self.accept(","):
                return tuple(found)
