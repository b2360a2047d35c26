"""Runs a command on a pseudo-terminal: pseudo-terminal.py ROWS COLUMNS STEPS COMMAND...

STEPS is a JSON list of [text, keys]: when the terminal has shown the text, the keys are pressed; [text, null] sends SIGTERM to
the command instead. The last keys are pressed again while nothing happens: less discards what comes too soon after Ctrl-C.
Prints JSON: what was shown, and the exit code (negative: a signal).
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios

rows, columns, steps, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    # The size must be known before the command asks for it.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
    os.execvp(command[0], command)

shown = b""
seen = 0
left = json.loads(steps)
keys = None
quiet = 0
while True:
    ready, _, _ = select.select([terminal], [], [], 1)
    quiet = 0 if ready else quiet + 1
    if not ready and quiet < 30:
        if not left and keys is not None:
            os.write(terminal, keys.encode())
        continue
    if not ready:
        os.kill(child, signal.SIGKILL)
        shown += b"<nothing more for 30 s>"
        break
    try:
        read = os.read(terminal, 65536)
    except OSError:
        break
    if not read:
        break
    shown += read
    while left and (at := shown.find(left[0][0].encode(), seen)) != -1:
        text, keys = left.pop(0)
        seen = at + len(text.encode())
        if keys is None:
            os.kill(child, signal.SIGTERM)
        else:
            os.write(terminal, keys.encode())
_, status = os.waitpid(child, 0)
print(json.dumps({"shown": shown.decode(errors="replace"), "code": os.waitstatus_to_exitcode(status), "left": left}))
