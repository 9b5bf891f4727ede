"""A wire between two network namespaces that hands every frame on later: `slow_wire.py FROM DEVICE TO DEVICE MS`.

It makes a tap device in each and carries frames between them. (`tc netem` would do it, where the kernel has that.)
"""

import fcntl
import os
import select
import struct
import sys
import time
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.machines.namespaces import inside

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
LONGEST = 65_536


def main():
    names, delay = sys.argv[1:5], float(sys.argv[5]) / 1000
    ends = [_tap(names[0], names[1]), _tap(names[2], names[3])]
    print("connected", flush=True)
    carry(ends, delay)


def carry(ends, delay):
    """Carry frames each way, in their order, `delay` seconds after they came."""
    other = {ends[0]: ends[1], ends[1]: ends[0]}
    waiting = deque()  # (when it is due, where to, frame): one delay, so that what came first is due first
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, to, frame = waiting.popleft()
            _write(to, frame)
        ready, _, _ = select.select(ends, [], [], waiting[0][0] - now if waiting else None)
        for end in ready:
            waiting.append((time.monotonic() + delay, other[end], os.read(end, LONGEST)))


def _write(end, frame):
    try:
        os.write(end, frame)
    except OSError as error:  # the device is down: a wire loses what nobody takes
        print("lost a frame:", error, file=sys.stderr)


def _tap(namespace, device):
    with inside(namespace):
        descriptor = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TAP | IFF_NO_PI))
    return descriptor


if __name__ == "__main__":
    main()
