/** Through signals, threads, processes and the kernel. */
import { c } from '../scenario.js';
import { cFlow, NESTED } from './flow.js';
import type { Flow } from './flow.js';

export const SYSTEM: readonly Flow[] = [
  cFlow('signalHandler', c`#include <signal.h>
@PROLOGUE@
static Data volatile shared;

static void handler(int number) {
  Data data = shared;
  @SINK@
}

int main(void) {
  Data data;
  struct sigaction action = { 0 };
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, NULL);
  @SOURCE@
  shared = data;
  raise(SIGUSR1);
  shared = 0;
  return 0;
}
`, NESTED),
  cFlow('thread', c`#include <pthread.h>
@PROLOGUE@
static void *worker(void *argument) {
  Data data = *(Data *)argument;
  @SINK@
  return NULL;
}

int main(void) {
  pthread_t thread;
  Data data;
  @SOURCE@
  pthread_create(&thread, NULL, worker, &data);
  pthread_join(thread, NULL);
  return 0;
}
`, NESTED),
  cFlow('threadLocal', c`@PROLOGUE@
static __thread Data mine;

static void use(void) {
  Data data = mine;
  mine = 0;
  @SINK@
}

int main(void) {
  Data data;
  @SOURCE@
  mine = data;
  use();
  return 0;
}
`, NESTED),
  cFlow('fork', c`#include <sys/wait.h>
#include <unistd.h>
@PROLOGUE@
static Data kept;

static void child(Data data) {
  kept = 0;
  @SINK@
}

int main(void) {
  int status = 0;
  Data data;
  @SOURCE@
  kept = data;
  if (fork() == 0) {
    child(data);
    _exit(0);
  }
  wait(&status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
`, NESTED),
  cFlow('pipe', c`#include <unistd.h>
@PROLOGUE@
static void use(int from) {
  Data data;
  if (read(from, &data, sizeof data) != sizeof data) return;
  close(from);
  @SINK@
}

int main(void) {
  int ends[2];
  Data data;
  @SOURCE@
  pipe(ends);
  write(ends[1], &data, sizeof data);
  close(ends[1]);
  use(ends[0]);
  return 0;
}
`, { nested: true, observed: true }),
];
