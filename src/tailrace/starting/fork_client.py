"""What Spark runs in place of Python: asks the server for a forked process, and is there as long as that is (`fork_server`).

It is started as often as a Python would be, so it does without site packages (`python -I -S`) and imports next to nothing.
Where the server can't be reached, it becomes the Python that was asked for.
"""

import os
import socket
import sys


def main(python: str) -> None:
    """Ask for the module in the environment; `python` is the Python to become."""
    environment = dict(os.environb)
    path, module = environment.pop(b"TAILRACE_FORK_SERVER"), environment.pop(b"TAILRACE_FORK_MODULE")
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.connect(path)
        text = b"\0".join([module, os.getcwdb(), *(b"=".join(each) for each in environment.items())])  # noqa: PTH109
        socket.send_fds(server, [len(text).to_bytes(4, "little")], [0, 1, 2])
        server.sendall(text)
        has_forked = bool(server.recv(1))
    except OSError:
        has_forked = False
    if not has_forked:
        os.execve(python, [python, "-m", os.fsdecode(module)], environment)  # noqa: S606
    for number in (0, 1, 2):
        os.close(number)  # whoever reads them is to see the end when the process has ended
    try:
        code = server.recv(1)
    except OSError:
        code = b""
    os._exit(code[0] if code else 1)


if __name__ == "__main__":
    main(sys.argv[1])
