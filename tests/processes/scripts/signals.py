"""Starts commands as a shell with job control does, sends them signals, and says what a shell would see.

stdin: JSON, a list of {"command": [...], "steps": [...], "sentinel": bool}. stdout: JSON, a list of what happened.
Steps: "pid TERM", "group TERM", "stopped" (waits until it is), "out TEXT" (waits until it has said that), "pause".
"sentinel": wait until the command has a child of its own before the steps begin.
"""
import json, os, resource, select, signal, sys, threading, time

PATIENCE = 60.0
AT_ONCE = 3


class Job:
    def __init__(self, case):
        self.case, self.said, self.seen, self.stops, self.status = case, b'', [], 0, None
        self.input, self.out = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.dup2(self.input[0], 0)
            os.dup2(self.out[1], 1)
            os.closerange(3, 256)
            os.execvp(case['command'][0], case['command'])
        os.close(self.input[0])
        os.close(self.out[1])

    def read(self, seconds):
        """Whether more may come."""
        if not select.select([self.out[0]], [], [], seconds)[0]:
            return False
        said = os.read(self.out[0], 65536)
        self.said += said
        return said != b''

    def until(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError
            self.read(0.02)

    def look(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
            if pid != 0 and os.WIFSTOPPED(status):
                self.seen.append('stopped by %d' % os.WSTOPSIG(status))
            elif pid != 0:
                self.status = status
        return self.status

    def step(self, step):
        what, _, detail = step.partition(' ')
        if what in ('pid', 'group'):
            number = signal.Signals['SIG' + detail]
            os.kill(self.pid, number) if what == 'pid' else os.killpg(self.pid, number)
        elif what == 'stopped':
            # It may have been seen already.
            self.stops += 1
            self.until(lambda: self.look() is not None or len(self.seen) >= self.stops)
        elif what == 'out':
            self.until(lambda: detail.encode() in self.said)
        else:
            time.sleep(0.2)

    def has_child(self):
        with open('/proc/%d/task/%d/children' % (self.pid, self.pid)) as children:
            return children.read() != ''

    def play(self):
        try:
            self.until(lambda: b'ready' in self.said or self.look() is not None)
            if self.case.get('sentinel'):
                self.until(lambda: self.look() is not None or self.has_child())
            time.sleep(0.2)
            for step in self.case['steps']:
                self.step(step)
            self.until(lambda: self.look() is not None)
            # What it has said before it ended, and what others of its group say who got the same signal.
            while self.read(1.0):
                pass
            killed = os.WIFSIGNALED(self.status)
            self.seen.append('killed by %d' % os.WTERMSIG(self.status) if killed else 'exited with %d' % os.WEXITSTATUS(self.status))
        except TimeoutError:
            self.seen.append('goes on')
        finally:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            if self.status is None:
                os.waitpid(self.pid, 0)
            os.close(self.input[1])
            os.close(self.out[0])
        # Processes say things at the same time.
        return {'seen': self.seen, 'said': sorted(self.said.decode().split('\n'))}


def main():
    cases = json.load(sys.stdin)
    results, lock, rest = [None] * len(cases), threading.Lock(), iter(range(len(cases)))

    def work():
        while True:
            with lock:
                index = next(rest, None)
                if index is None:
                    return
                job = Job(cases[index])
            results[index] = job.play()

    workers = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    json.dump(results, sys.stdout)


main()
