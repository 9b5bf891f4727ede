"""The stand-in as a server.

    with StandIn(engine, tls=True) as server:
        connect(port=server.port)

It listens on the loopback only.
"""

from __future__ import annotations

from tailrace_standins.certificates import made_pair
from tailrace_standins.listener import Listener
from tailrace_standins.sqlserver.session import Server
from tailrace_standins.sqlserver.tds.connection import Connection
from tailrace_standins.sqlserver.tds.pipe import Pipe
from tailrace_standins.sqlserver.tds.tls import context


class StandIn(Listener[Connection]):
    """A server of SQL Server's protocol over an engine.

    Args:
        engine: creates the clients' sessions; it is not closed with the server.
        port: to listen on; 0 for a free one.
        tls: whether to offer encryption, with a self-signed certificate.

    Attributes:
        pair: the private key and the certificate, in PEM; empty without encryption.

    """

    def __init__(self, engine: Server, *, port: int = 0, tls: bool = False) -> None:
        self.pair = made_pair() if tls else b""
        offered = context(self.pair) if tls else None
        super().__init__(lambda client: Connection(Pipe(client), engine, offered), port)
