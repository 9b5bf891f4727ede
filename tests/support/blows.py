"""The failures that a crash campaign causes, called blows.

Each method causes one and returns the time from which on a commit proves that the run has recovered.
`Blows` is mixed into `Campaign`, which has the servers and processes.
"""

import signal
import time

from support.live_run import send
from tailrace import failpoints


class Blows:
    """`_strike_KIND(blow)`; it may say more in `blow.detail`."""

    def _strike_task(self, blow):
        pids = self._task_pids()
        pid = self._chance.choice(pids)
        send([pid], signal.SIGKILL)
        blow.detail = f"pid {pid}"
        return time.time()

    def _strike_planner(self, blow):
        self._wait(self._run.planner_pids, "nothing plans", restart=True)
        send(self._run.planner_pids(), signal.SIGKILL)
        return time.time()

    def _strike_driver(self, blow):
        self._run.kill_all()
        now = time.time()
        self._run.start()
        return now

    def _strike_driver_alone(self, blow):
        self._run.kill_driver()
        now = time.time()
        self._run.start()
        return now

    def _strike_broker(self, blow):
        self._parts.broker.kill()
        down = self._chance.uniform(0, 2)
        time.sleep(down)
        blow.detail = f"down for {down:.1f} s and its start"
        self._parts.broker.start()
        return time.time()

    def _strike_mysql_cut(self, blow):
        self._parts.mysql_proxy.cut()
        return time.time()

    def _strike_broker_cut(self, blow):
        self._parts.broker_proxy.cut()
        return time.time()

    def _strike_mysql_silence(self, blow):
        return self._silence(self._parts.mysql_proxy, blow)

    def _strike_broker_silence(self, blow):
        return self._silence(self._parts.broker_proxy, blow)

    def _silence(self, proxy, blow):
        """Nothing gets through for a while, and then what was on its way is lost with the connections."""
        seconds = self._chance.uniform(0.5, 3)
        blow.detail = f"for {seconds:.1f} s"
        proxy.block()
        time.sleep(seconds)
        proxy.cut()
        proxy.unblock()
        return time.time()

    def _strike_freeze(self, blow):
        """The task stands still for longer than its transaction may live: the broker ends it meanwhile."""
        held, seconds = self._task_pids(), self._parts.transaction_seconds + 2
        blow.detail = f"for {seconds} s"
        send(held, signal.SIGSTOP)
        time.sleep(seconds)
        send(held, signal.SIGCONT)
        return time.time()

    def _strike_failpoint(self, blow):
        name, action = self._chance.choice(failpoints.NAMES), self._chance.choice(["kill", "error"])
        blow.detail = f"{name}={action}@{self._chance.randint(1, 30)}"
        self._run.kill_all()
        self._run.start(failpoints=blow.detail)
        self._follow_until_it_fell()
        self._run.kill_all()
        now = time.time()
        self._run.start()
        return now

    def _follow_until_it_fell(self, seconds=15):
        began_at, first = time.time(), None
        while (
            self._run.ended() is None
            and (first is None or time.time() < first + 3)
            and time.time() < began_at + seconds + 30
        ):
            self._check()
            if first is None and min(self._follower.commits.values()).at_ms > began_at * 1000:
                first = time.time()
            time.sleep(0.05)
