"""A self-signed certificate in files, for tests of TLS."""

from __future__ import annotations

from pathlib import Path

from tailrace_standins.certificates import made_pair


def written_pair(folder: Path) -> tuple[Path, Path]:
    """The file with key and certificate for the server, and the one with the certificate alone, for clients to trust."""
    pair = made_pair()
    both, alone = folder / "server.pem", folder / "trusted.pem"
    both.touch(mode=0o600)
    both.write_bytes(pair)
    alone.write_bytes(pair[pair.index(b"-----BEGIN CERTIFICATE") :])
    return both, alone
