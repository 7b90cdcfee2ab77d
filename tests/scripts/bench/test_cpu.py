"""CPU seconds are attributed to the process that uses them."""

import subprocess
import sys
import time

from scripts.bench.cpu import Counted, Shares, plus

BUSY_S = 0.3
BUSY = f"""import time
while time.process_time() < {BUSY_S}: pass
print(flush=True)
input()"""


def work() -> None:
    start_s = time.process_time()
    while time.process_time() - start_s < BUSY_S:
        pass


def test_cpu_time_of_this_process_is_the_workers() -> None:
    counted = Counted(work)
    counted()
    counted()
    assert counted.shares.worker >= 2 * BUSY_S - 0.1
    assert counted.shares.driver == 0


def test_cpu_time_of_a_child_process_is_not_the_workers() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", BUSY], stdin=pipe, stdout=pipe, text=True) as process:

        def wait() -> None:
            assert process.stdout is not None
            process.stdout.readline()

        counted = Counted(wait)
        counted()
        assert counted.shares.browser >= BUSY_S / 2
        assert counted.shares.worker < BUSY_S / 2
        process.communicate("\n")


def test_shares_are_printed_per_episode() -> None:
    assert plus(Shares(1, 2, 3), Shares(3, 2, 1)).words(4) == "browser 1000, worker 1000, driver 1000 ms"
