"""The program that `earshot` starts in place of a matcher of a living Python process.

It hands its standard streams to that process, which forks a matcher for them, and ends when the matcher ends.
"""

import array
import os
import socket

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(os.environ["EARSHOT_BRIDGE"])
    streams = array.array("i", [0, 1, 2]).tobytes()
    connection.sendmsg([os.getcwd().encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    # From here on the matcher alone holds the requests and the answers.
    os.close(0)
    os.close(1)
    status = connection.recv(1)
os._exit(status[0] if status else 1)
