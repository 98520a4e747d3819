"""The same as traceActions.ts for gdb: gdb -batch -nx -x traceActions.py PROGRAM, with FIGURE, DIRECTION and WHAT in the environment.

gdb has no traces: what is asked for is collected in one run to the end, and asking takes no time afterwards. DIRECTION forward runs natively;
reverse records the execution with gdb's own `record full` and runs back in it."""
import json
import os
import resource
import time
import tracemalloc

figure, direction, what = (os.environ['BENCH_' + name] for name in ('FIGURE', 'DIRECTION', 'WHAT'))
TICKS = os.sysconf('SC_CLK_TCK')
points = []


def note():
    points.append((len(points), tracemalloc.get_traced_memory()[0] if what == 'bytes' else seconds()))


def seconds():
    """Processor time of gdb and of the program, which is counted with gdb's children when it has ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + of_program()


def of_program():
    pid = gdb.selected_inferior().pid
    if pid == 0:
        return 0
    with open('/proc/%d/stat' % pid) as stat:
        fields = stat.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def quiet(command):
    try:
        gdb.execute(command, to_string=True)
    except gdb.error:
        pass  # the end of what is recorded


def argument(name):
    return int(gdb.selected_frame().read_var(name))


class Place(gdb.Breakpoint):
    """Tells its listener and goes on."""

    def __init__(self, name, tell):
        super().__init__(name)
        self.tell = tell

    def stop(self):
        self.tell()
        return False


def begin():
    """To main; or, to go back from there, to its end."""
    quiet('start')
    if direction == 'reverse':
        quiet('set record full insn-number-max 0')
        quiet('record full')
        quiet('advance ' + os.environ['BENCH_END'])


def run_through():
    quiet('reverse-continue' if direction == 'reverse' else 'continue')


def run_again():
    """From where run_through has begun. Going back needs no new recording."""
    if direction == 'reverse':
        quiet('continue')
    else:
        quiet('start')


def filters():
    return sum(calls_of_foo(rest) for rest in (0, 1))


def calls_of_foo(rest):
    found = []
    if rest == 1:
        run_again()
    place = Place('foo', lambda: found.append(len(found)) if argument('x') % 2 == rest else None)
    run_through()
    place.delete()
    note()
    for _ in found:
        note()
    return len(found)


def lookups():
    """One dict that grows: less than the list of all dicts that the thesis's script keeps."""
    bars, calls, found = {}, [0], []

    def bar():
        calls[0] += 1
        bars[argument('z')] = calls[0]

    Place('bar', bar)
    Place('foo', lambda: found.append(bars.get(argument('y'))))
    run_through()
    note()
    for _ in found:
        note()
    return len(found)


quiet('set pagination off')
begin()
if what == 'bytes':
    tracemalloc.start()
note()
count = filters() if figure == 'filter' else lookups()
print(json.dumps({'count': count, 'points': points}))
