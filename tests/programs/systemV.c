// System V semaphores and message queues between processes: order, waiting, undo, selection, status, removal, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

union argument {
  int val;
  struct semid_ds *buf;
  unsigned short *array;
};

static int sem(int id, int which, int change, int flags) {
  struct sembuf op = { which, change, flags };
  return semop(id, &op, 1) == 0 ? 0 : -errno;
}

static int ctl(int id, int which, int command, long value) {
  int r = semctl(id, which, command, (union argument){ .array = (void *)value });
  return r < 0 ? -errno : r;
}

static void nap(int ms) {
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

static pid_t spawn(void (*work)(int), int argument) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    work(argument);
    fflush(stdout);
    _exit(0);
  }
  return child;
}

static void all(const char *what, int id, int count) {
  unsigned short values[8];
  printf("%s: %d", what, ctl(id, 0, GETALL, (long)values));
  for (int i = 0; i < count; i++) printf(" %d", values[i]);
  printf("\n");
}

static void waits_for_two(int id) {
  int r = sem(id, 0, -2, 0);
  printf("  had two: %d\n", r);
}

static void waits_for_zero(int id) {
  int r = sem(id, 1, 0, 0);
  printf("  is zero: %d\n", r);
}

static void undoes(int id) {
  printf("  takes %d", sem(id, 2, -3, SEM_UNDO));
  printf(", gives %d\n", sem(id, 1, 4, SEM_UNDO));
}

static void waits_for_ever(int id) {
  int r = sem(id, 0, -5, 0);
  printf("  removed: %d\n", r);
}

static void semaphores(void) {
  int id = semget(IPC_PRIVATE, 3, 0600);
  all("new", id, 3);
  unsigned short start[] = { 0, 1, 7 };
  printf("set all %d, set one %d\n", ctl(id, 0, SETALL, (long)start), ctl(id, 1, SETVAL, 2));
  printf("up %d down %d too far %d large %d\n", sem(id, 0, 1, 0), sem(id, 2, -2, 0), sem(id, 0, -2, IPC_NOWAIT), sem(id, 0, 32767, 0));
  all("values", id, 3);
  struct sembuf both[] = { { 0, -1, 0 }, { 1, 0, IPC_NOWAIT } }, fine[] = { { 0, 2, 0 }, { 0, -2, 0 }, { 1, -2, 0 } };
  printf("all or nothing %d %d", semop(id, both, 2), errno);
  printf(", several %d\n", semop(id, fine, 3));
  all("values", id, 3);
  ctl(id, 1, SETVAL, 1);
  pid_t a = spawn(waits_for_two, id), b = spawn(waits_for_zero, id);
  nap(60);
  printf("waiting: %d %d, %d %d\n", ctl(id, 0, GETNCNT, 0), ctl(id, 0, GETZCNT, 0), ctl(id, 1, GETNCNT, 0), ctl(id, 1, GETZCNT, 0));
  fflush(stdout);
  sem(id, 1, -1, 0);
  waitpid(b, NULL, 0);
  sem(id, 0, 3, 0);
  waitpid(a, NULL, 0);
  all("after", id, 3);
  printf("last: me %d, child %d\n", ctl(id, 1, GETPID, 0) == b, ctl(id, 0, GETPID, 0) == a);
  waitpid(spawn(undoes, id), NULL, 0);
  all("undone", id, 3);
  struct semid_ds ds;
  printf("status %d", ctl(id, 0, IPC_STAT, (long)&ds));
  printf(" mode %o size %lu key %x owner %d times %d %d\n", ds.sem_perm.mode, (unsigned long)ds.sem_nsems, ds.sem_perm.__key, ds.sem_perm.uid == geteuid(),
         ds.sem_otime > 1000000, ds.sem_ctime > 1000000);
  ds.sem_perm.mode = 0640;
  printf("set %d", ctl(id, 0, IPC_SET, (long)&ds));
  ctl(id, 0, IPC_STAT, (long)&ds);
  printf(" mode %o\n", ds.sem_perm.mode);
  struct timespec limit = { 0, 20000000 };
  struct sembuf op = { 0, -100, 0 };
  printf("time out %d", semtimedop(id, &op, 1, &limit));
  printf(" %d\n", errno);
  a = spawn(waits_for_ever, id);
  nap(60);
  printf("remove %d\n", ctl(id, 0, IPC_RMID, 0));
  waitpid(a, NULL, 0);
  printf("gone %d %d\n", sem(id, 0, 1, 0), ctl(id, 0, GETVAL, 0));
}

static void semaphore_errors(void) {
  key_t key = 0x4321beef;
  printf("absent %d", semget(key, 1, 0));
  printf(" %d\n", errno);
  int id = semget(key, 2, IPC_CREAT | 0600);
  printf("same %d, exclusive %d", semget(key, 2, 0) == id, semget(key, 2, IPC_CREAT | IPC_EXCL));
  printf(" %d, larger %d", errno, semget(key, 3, 0));
  printf(" %d, none %d", errno, semget(IPC_PRIVATE, 0, 0600));
  printf(" %d, too many %d", errno, semget(IPC_PRIVATE, 40000, 0600));
  printf(" %d\n", errno);
  struct sembuf op = { 9, 1, 0 };
  printf("no such semaphore %d", semop(id, &op, 1));
  printf(" %d, no operations %d", errno, semop(id, &op, 0));
  printf(" %d, too many %d", errno, semop(id, &op, 501));
  printf(" %d, bad address %d", errno, semop(id, NULL, 1));
  printf(" %d\n", errno);
  printf("range %d %d, index %d, command %d, id %d %d\n", ctl(id, 0, SETVAL, 40000), ctl(id, 0, SETVAL, -1), ctl(id, 9, GETVAL, 0), ctl(id, 0, 99, 0),
         ctl(-1, 0, GETVAL, 0), ctl(id + 12345 * 32768, 0, GETVAL, 0));
  ctl(id, 0, IPC_RMID, 0);
}

struct message {
  long type;
  char text[64];
};

static int put(int queue, long type, const char *text, int flags) {
  struct message m = { type };
  strcpy(m.text, text);
  return msgsnd(queue, &m, strlen(text) + 1, flags) == 0 ? 0 : -errno;
}

static void take(const char *what, int queue, long type, int size, int flags) {
  struct message m = { 0 };
  ssize_t n = msgrcv(queue, &m, size, type, flags);
  if (n < 0) printf("%s: error %d\n", what, errno);
  else printf("%s: %zd type %ld %.*s\n", what, n, m.type, (int)n, m.text);
}

static void receives_five(int queue) {
  take("  waited for 5", queue, 5, 64, 0);
}

static void receives_any(int queue) {
  take("  waited for any", queue, 0, 64, 0);
}

static void sends(int queue) {
  struct message m = { 3 };
  char big[8000 + sizeof(long)];
  memset(big, 0, sizeof big);
  *(long *)big = 4;
  int r = msgsnd(queue, big, 8000, 0);
  printf("  sent when there was room: %d\n", r);
}

static volatile int caught;
static void handler(int n) {
  caught = n;
}

static void messages(void) {
  int queue = msgget(IPC_PRIVATE, 0600);
  printf("send %d %d %d %d\n", put(queue, 3, "three", 0), put(queue, 1, "one", 0), put(queue, 2, "two", 0), put(queue, 3, "three again", 0));
  take("type 3", queue, 3, 64, 0);
  take("lowest up to 2", queue, -2, 64, 0);
  take("except 2", queue, 2, 64, MSG_EXCEPT);
  take("too long", queue, 0, 2, 0);
  take("cut", queue, 0, 2, MSG_NOERROR);
  take("none", queue, 0, 64, IPC_NOWAIT);
  pid_t a = spawn(receives_five, queue);
  nap(40);
  pid_t b = spawn(receives_any, queue);
  nap(40);
  put(queue, 7, "for any", 0);
  waitpid(b, NULL, 0);
  put(queue, 5, "for five", 0);
  waitpid(a, NULL, 0);
  char big[8192 + sizeof(long)];
  memset(big, 0, sizeof big);
  *(long *)big = 1;
  printf("fill %d %d", msgsnd(queue, big, 8192, 0), msgsnd(queue, big, 8000, 0));
  printf(", full %d", msgsnd(queue, big, 500, IPC_NOWAIT));
  printf(" %d\n", errno);
  struct msqid_ds ds;
  msgctl(queue, IPC_STAT, &ds);
  printf("status: %lu messages, %lu bytes, room %lu, mode %o, last %d %d\n", (unsigned long)ds.msg_qnum, (unsigned long)ds.__msg_cbytes, (unsigned long)ds.msg_qbytes, ds.msg_perm.mode,
         ds.msg_lspid == getpid(), ds.msg_lrpid == a);
  a = spawn(sends, queue);
  nap(60);
  msgrcv(queue, big, 8192, 0, 0);
  waitpid(a, NULL, 0);
  struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
  sigaction(SIGALRM, &sa, NULL);
  msgrcv(queue, big, 8192, 0, 0), msgrcv(queue, big, 8192, 0, 0);
  alarm(1);
  take("interrupted", queue, 0, 64, 0);
  a = spawn(receives_any, queue);
  nap(60);
  int removed = msgctl(queue, IPC_RMID, NULL);
  waitpid(a, NULL, 0);
  printf("remove %d\n", removed);
  printf("gone %d\n", put(queue, 1, "x", 0));
  queue = msgget(IPC_PRIVATE, 0600);
  printf("type %d", put(queue, 0, "x", 0));
  printf(" long %d", msgsnd(queue, big, 8193, 0));
  printf(" %d id %d", errno, put(-1, 1, "x", 0));
  printf(" fault %d", msgsnd(queue, NULL, 1, 0));
  printf(" %d command %d", errno, msgctl(queue, 77, NULL));
  printf(" %d absent %d", errno, msgget(0x1234777, 0));
  printf(" %d\n", errno);
  msgctl(queue, IPC_RMID, NULL);
}

int main(void) {
  semaphores();
  semaphore_errors();
  messages();
  return 0;
}
