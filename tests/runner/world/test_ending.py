"""A world that ends prints nothing, even with open connections."""

import subprocess
import sys

SCRIPT = """
import socket, time
from stressweb.runner.world.world import World

world = World()
(number,) = world.proxy.listen("regular")
clients = [socket.create_connection(("127.0.0.1", number)) for _ in range(4)]
for client in clients:
    client.sendall(b"GET http://nowhere.test/ HTTP/1.1\\r\\nHost: nowhere.test\\r\\n\\r\\n")
    assert client.recv(100)
world.close()
"""


def test_a_connection_that_ends_with_its_world_is_no_error() -> None:
    """Otherwise `verify` would print a traceback for each connection."""
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
