"""The questions of traceQuestions.ts for gdb: gdb -batch -nx -x traceQuestions.py PROGRAM, with the question in BENCH_QUESTION."""
import json
import os
import resource
import time

question = os.environ['BENCH_QUESTION']
count = 0


def seconds():
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


class Counted(gdb.Breakpoint):
    def stop(self):
        global count
        count += 1
        return False


gdb.execute('set pagination off')
gdb.execute('start', to_string=True)
began = seconds()
if question == 'calls':
    Counted('bar')
else:
    Counted('last', gdb.BP_WATCHPOINT)
try:
    gdb.execute('continue', to_string=True)
except gdb.error:
    pass
print(json.dumps({'answer': count, 'seconds': seconds() - began}))
