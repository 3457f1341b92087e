"""The program that `earshot` starts in place of a matcher, or of degradations, of a living Python process.

It hands its standard streams to that process, which forks one that answers on them, and ends when the fork ends. An argument
says what answers, if it is not the matcher.
"""

import array
import os
import signal
import socket
import sys

role = [*sys.argv, "matcher"][1]
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(os.environ["EARSHOT_BRIDGE"])
    streams = array.array("i", [0, 1, 2]).tobytes()
    connection.sendmsg([os.fsencode(f"{role}\n{os.getcwd()}")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    # From here on the fork alone holds the requests and the answers.
    os.close(0)
    os.close(1)
    status = connection.recv(1)
number = status[0] - 128 if status else 0
if number in (signal.SIGKILL, signal.SIGTERM):
    # As the fork ended, so that the program sees that somebody ended it.
    os.kill(os.getpid(), number)
os._exit(status[0] if status else 1)
