"""Runs a shell on a terminal of its own, types at it, and prints what was to be seen: terminal.py COMMAND..."""
import os, pty, select, sys, time

# What must have appeared before the next thing is typed.
STEPS = [
    ('$ ', "sh -c 'echo up; exec sleep 100'\n"),
    ('up\r\n', '\x1a'),
    ('$ ', 'jobs\n'),
    ('$ ', 'bg\n'),
    ('$ ', 'jobs\n'),
    ('$ ', 'kill -STOP %1; sleep 0.1; jobs\n'),
    ('$ ', 'fg\n'),
    ("sleep 100'\r\n", '\x03'),
    ('$ ', 'echo "ended with $?"\n'),
    ('$ ', 'cat | sed s/l/L/g\n'),
    ('g\r\n', 'hello\n'),
    ('hello\r\n', '\x04'),
    ('$ ', "sh -c 'echo reading; read x; echo never $x' &\n"),
    ('reading\r\n', 'sleep 0.2; jobs\n'),
    ('$ ', 'kill %1; wait %1; echo "killed"\n'),
    ('$ ', "sh -c 'trap \"echo caught; exit 5\" INT; echo trapped; while :; do sleep 0.05; done'\n"),
    ('trapped\r\n', '\x03'),
    ('$ ', 'echo "trap $?"\n'),
    ('$ ', "sh -c 'echo quit me; sleep 100'\n"),
    ('quit me\r\n', '\x1c'),
    ('$ ', 'echo "quit $?"\n'),
    ('$ ', 'stty -a | grep -c isig; tty | grep -c /dev/pts\n'),
    ('$ ', 'exit 3\n'),
]
PATIENCE = 60

def unescape(bytes):
    return bytes.decode('latin1')

pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(PS1='$ ', TERM='dumb')
    os.execvp(sys.argv[1], sys.argv[1:])

seen = ''
searched = 0

def read():
    try:
        return unescape(os.read(terminal, 4096))
    except OSError:
        return ''

for awaited, typed in STEPS:
    limit = time.time() + PATIENCE
    while awaited not in seen[searched:]:
        ready, _, _ = select.select([terminal], [], [], max(0, limit - time.time()))
        more = read() if ready else ''
        if more == '':
            print(seen)
            sys.exit(f'waited in vain for {awaited!r}')
        seen += more
    searched = seen.index(awaited, searched) + len(awaited)
    # What was echoed is no answer yet.
    time.sleep(0.15)
    os.write(terminal, typed.encode('latin1'))
while (more := read()) != '':
    seen += more
print(seen)
print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
