# Drives a command through a pseudo-terminal: reads steps (JSON) from stdin, prints what appeared, as JSON.
# A step is {"expect": text} (wait until it appears), {"send": text} or {"wait": seconds}.
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

request = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(request["env"])
    os.execv(request["command"][0], request["command"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", request["rows"], request["columns"], 0, 0))
os.kill(pid, signal.SIGWINCH)

seen = b""
marks = []


def read(seconds):
    global seen
    ready, _, _ = select.select([terminal], [], [], seconds)
    if not ready:
        return True
    try:
        data = os.read(terminal, 65536)
    except OSError:
        return False
    seen += data
    return data != b""


def expect(text, since):
    deadline = time.time() + request["timeout"]
    while text.encode() not in seen[since:]:
        if time.time() > deadline or not read(0.2):
            return False
    return True


failed = None
for step in request["steps"]:
    since = marks[-1] if marks else 0
    if "expect" in step:
        if not expect(step["expect"], since):
            failed = step["expect"]
            break
        marks.append(since + seen[since:].index(step["expect"].encode()) + len(step["expect"].encode()))
    elif "send" in step:
        os.write(terminal, step["send"].encode())
    else:
        time.sleep(step["wait"])
deadline = time.time() + 10
while failed is None and time.time() < deadline and read(0.2):
    if os.waitpid(pid, os.WNOHANG)[0] != 0:
        break
try:
    os.kill(pid, signal.SIGKILL)
except OSError:
    pass
print(json.dumps({"text": seen.decode("utf8", "replace"), "failed": failed}))
