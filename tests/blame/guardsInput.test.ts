/** A second run has the input that the recorded one had: it does and prints the same, whatever has changed since. */
import fs from 'node:fs';
import net from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { findingsOf, guarded, lineOf, type Recorded, stdoutOf, Workplace } from './guarded.js';

let place: Workplace;
afterEach(() => place.remove());

/** Compiled, recorded, changed, and run again. */
async function again(source: string, record: (place: Workplace) => Recorded, change: (place: Workplace) => void = () => {}, flags: readonly string[] = ['-O0']): Promise<{ readonly recorded: Recorded; readonly run: Awaited<ReturnType<typeof guarded>> }> {
  place = new Workplace();
  place.compile(source, flags);
  const recorded = record(place);
  change(place);
  return { recorded, run: await guarded(recorded.path) };
}

it('files that it made, changed and deleted are as before, and what it read back is its own', async () => {
  const source = `
#include <stdio.h>
#include <unistd.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
static void show(const char *name) {
  char text[100] = "";
  FILE *file = fopen(name, "r");
  if (file) { size_t n = fread(text, 1, 99, file); text[n] = 0; fclose(file); }
  printf("%s: %s\\n", name, file ? text : "nothing");
}
int main(void) {
  show("made"); show("kept"); show("cut"); show("gone");
  FILE *made = fopen("made", "w"); fputs("of its own", made); fclose(made);
  FILE *cut = fopen("cut", "r+"); fputs("CUT", cut); fclose(cut);
  unlink("gone"); rename("kept", "moved");
  show("made"); show("kept"); show("cut"); show("gone"); show("moved");
  int fd = open("mapped", O_RDONLY); char *map = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  printf("%s\\n", map);
  return access("absent", F_OK) == 0;
}`;
  const { recorded, run } = await again(source, (here) => {
    for (const name of ['kept', 'cut', 'gone', 'mapped']) here.write(name, `the text of ${name}`);
    return here.record();
  }, (here) => {
    here.write('absent', 'came later');
    fs.rmSync(here.at('mapped'));
  });
  expect(recorded.stdout).toContain('made: nothing\n');
  expect([stdoutOf(run), run.status]).toEqual([recorded.stdout, { kind: 'exited', code: 0 }]);
  expect(findingsOf(run)).toEqual([]);
});

it('clocks, random numbers and process numbers are those that it was told', async () => {
  const source = `
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/time.h>
#include <sys/random.h>
int main(void) {
  struct timespec now; struct timeval day; unsigned long bits;
  for (int i = 0; i < 3; i++) {
    free(malloc(100000));
    clock_gettime(CLOCK_REALTIME, &now);
    gettimeofday(&day, 0);
    getrandom(&bits, sizeof bits, 0);
    printf("%ld.%ld %ld.%ld %lx %d %ld\\n", now.tv_sec, now.tv_nsec, day.tv_sec, day.tv_usec, bits, getpid(), time(0));
  }
}`;
  const { recorded, run } = await again(source, (here) => here.record());
  expect(stdoutOf(run)).toBe(recorded.stdout);
});

it('standard input from a file, that is gone, can be read and moved in', async () => {
  const source = `
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char text[20] = "";
  read(0, text, 5); lseek(0, 2, SEEK_SET); read(0, text + 5, 5);
  printf("%s\\n", text);
}`;
  const { recorded, run } = await again(source, (here) => here.record({ file: here.write('input', 'abcdefghij') }), (here) => fs.rmSync(here.at('input')));
  expect([recorded.stdout, stdoutOf(run)]).toEqual(['abcdecdefg\n', 'abcdecdefg\n']);
  expect(run.remarks).toEqual([expect.stringMatching(/input is not as it was, and the recording has only what was read of it$/)]);
});

it('threads and child processes are all guarded, and programs that are gone are executed again', async () => {
  const source = `
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
static void *work(void *p) {
  char *block = malloc(4);
  block[4] = 1; // @thread
  return block;
}
int main(int argc, char **argv) {
  if (argc > 1) {
    char *block = malloc(3);
    block[3] = 1; // @executed
    return 7;
  }
  int pipes[2], status; char c = 0;
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  pipe(pipes);
  if (fork() == 0) {
    char *block = malloc(2);
    block[2] = 1; // @child
    write(pipes[1], "x", 1);
    execl("./program", "./program", "again", (char *)0);
  }
  read(pipes[0], &c, 1);
  wait(&status);
  printf("%c %d\\n", c, WEXITSTATUS(status));
}`;
  const { recorded, run } = await again(source, (here) => here.record(), (here) => fs.rmSync(here.at('program')));
  expect([recorded.stdout, stdoutOf(run)]).toEqual(['x 7\n', 'x 7\n']);
  expect(findingsOf(run)).toEqual(['thread', 'child', 'executed'].map((mark) => `heap.buffer.overflow ${lineOf(source, mark)}`));
});

it('a program that ended by a signal from outside is ended, and a remark says so', async () => {
  const source = `
#include <signal.h>
#include <unistd.h>
volatile int rounds;
int main(void) { if (fork() == 0) { usleep(1000); kill(getppid(), SIGSTOP); _exit(0); } for (;;) rounds++; }`;
  place = new Workplace();
  place.compile(source);
  const { path } = place.record({ options: ['--timeout', '2'] });
  const run = await guarded(path, { mostInstructions: 2_000_000 });
  expect(run.status).toBeUndefined();
  expect(run.remarks).toHaveLength(1);
});

it('a crash is one as in the recorded run, after what was found before it', async () => {
  const source = `
#include <stdlib.h>
int main(void) {
  char *block = malloc(8);
  char *other = malloc(8);
  block[8] = 1; // @first
  other[8] = 1; // @second
  *(volatile int *)0 = 1; // @crash
}`;
  const { recorded, run } = await again(source, (here) => here.record());
  expect([recorded.status, run.status]).toMatchObject([139, { kind: 'signaled', signal: 11 }]);
  expect(findingsOf(run)).toEqual(['heap.buffer.overflow', 'heap.buffer.overflow', 'null.pointer.deref'].map((rule, i) => `${rule} ${lineOf(source, ['first', 'second', 'crash'][i] ?? '')}`));
});

it('who was outside does not answer, which a remark says', async () => {
  const source = `
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
int main(int argc, char **argv) {
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  puts(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to) == 0 ? "connected" : "alone");
}`;
  const server = net.createServer();
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as net.AddressInfo;
  const { recorded, run } = await again(source, (here) => here.record({ args: [String(port)] }));
  await new Promise((done) => server.close(done));
  expect([recorded.stdout, stdoutOf(run)]).toEqual(['connected\n', 'alone\n']);
  expect(run.remarks).toEqual(['the recorded run was connected by the network: who was outside of it does not answer this time']);
});

it.runIf(process.getuid?.() === 0)('a user without rights sees what the recorded one saw', async () => {
  const source = `
#include <stdio.h>
#include <unistd.h>
int main(void) { printf("%d %d %d\\n", getuid(), access("secret", R_OK), access("text", R_OK)); }`;
  const { recorded, run } = await again(source, (here) => {
    fs.chmodSync(here.write('secret', 'x'), 0o600);
    fs.chmodSync(here.write('text', 'x'), 0o644);
    fs.chmodSync(here.folder, 0o777);
    return here.record({ user: 65534 });
  }, (here) => fs.rmSync(here.at('program')));
  expect(recorded.stdout).toBe('65534 -1 0\n');
  expect([stdoutOf(run), run.remarks]).toEqual([recorded.stdout, []]);
});
