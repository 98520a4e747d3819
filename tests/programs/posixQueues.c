// POSIX message queues: priorities, limits, waiting, time-outs, notification, readiness, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The queues of all runs on a machine share one name space. */
static char name[64];

static void nap(int ms) {
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

static int put(mqd_t q, const char *text, unsigned priority) {
  return mq_send(q, text, strlen(text) + 1, priority) == 0 ? 0 : -errno;
}

static void take(const char *what, mqd_t q) {
  char text[64];
  unsigned priority = 99;
  ssize_t n = mq_receive(q, text, sizeof text, &priority);
  if (n < 0) printf("%s: error %d\n", what, errno);
  else printf("%s: %zd %s priority %u\n", what, n, text, priority);
}

static void attributes(const char *what, mqd_t q) {
  struct mq_attr a;
  mq_getattr(q, &a);
  printf("%s: flags %lx most %ld size %ld now %ld\n", what, a.mq_flags, a.mq_maxmsg, a.mq_msgsize, a.mq_curmsgs);
}

static int ready(mqd_t q) {
  struct pollfd p = { .fd = q, .events = POLLIN | POLLOUT };
  poll(&p, 1, 0);
  return p.revents;
}

static volatile int caught, code, value, from_me;
static void handler(int n, siginfo_t *info, void *context) {
  caught = n, code = info->si_code, value = info->si_value.sival_int, from_me = info->si_pid == getpid();
}

static volatile int thread_value;
static void in_thread(union sigval v) {
  thread_value = v.sival_int;
}

/** Told by a thread that the library starts. */
static void by_thread(mqd_t q) {
  char text[64];
  struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread, .sigev_value.sival_int = 7 };
  printf("thread %d", mq_notify(q, &event));
  put(q, "x", 1);
  for (int i = 0; i < 200 && thread_value == 0; i++) nap(10);
  printf(" called with %d", thread_value);
  mq_receive(q, text, sizeof text, NULL);
  thread_value = 0, event.sigev_value.sival_int = 8;
  mq_notify(q, &event), mq_notify(q, NULL);
  put(q, "x", 1);
  nap(30);
  printf(", withdrawn %d\n", thread_value);
  mq_receive(q, text, sizeof text, NULL);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  snprintf(name, sizeof name, "/culprit-test-%d", (int)getpid());
  mq_unlink(name);
  struct mq_attr a = { .mq_maxmsg = 4, .mq_msgsize = 64 };
  printf("absent %d", mq_open(name, O_RDWR));
  printf(" %d\n", errno);
  mqd_t q = mq_open(name, O_RDWR | O_CREAT, 0600, &a);
  printf("exclusive %d", mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a));
  printf(" %d, close on exec %d\n", errno, fcntl(q, F_GETFD));
  attributes("new", q);
  printf("ready %x\n", ready(q));
  printf("send %d %d %d\n", put(q, "low", 1), put(q, "high", 5), put(q, "low too", 1));
  attributes("three", q);
  printf("ready %x, full %d %x\n", ready(q), put(q, "zero", 0), ready(q));
  take("first", q), take("second", q), take("third", q), take("fourth", q);
  struct mq_attr flags = { .mq_flags = O_NONBLOCK }, old;
  printf("set %d", mq_setattr(q, &flags, &old));
  printf(" old %lx\n", old.mq_flags);
  take("empty", q);
  for (int i = 0; i < 5; i++) printf("%d ", put(q, "x", i));
  printf("\n");
  for (int i = 0; i < 4; i++) take("drain", q);
  flags.mq_flags = 0;
  mq_setattr(q, &flags, NULL);
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_nsec += 20000000;
  if (limit.tv_nsec >= 1000000000) limit.tv_sec++, limit.tv_nsec -= 1000000000;
  char text[64];
  printf("time out %zd", mq_timedreceive(q, text, 64, NULL, &limit));
  printf(" %d\n", errno);
  // Another process waits and answers.
  pid_t child = fork();
  if (child == 0) {
    take("  child", q);
    nap(40);
    put(q, "answer", 3);
    _exit(0);
  }
  nap(60);
  put(q, "question", 2);
  nap(20);
  take("parent", q);
  waitpid(child, NULL, 0);
  child = fork();
  if (child == 0) {
    int failures = 0;
    for (int i = 0; i < 6; i++) failures += put(q, "many", i) != 0;
    _exit(failures);
  }
  nap(60);
  attributes("child waits for room", q);
  for (int i = 0; i < 6; i++) take("many", q), nap(20);
  int failures;
  waitpid(child, &failures, 0);
  printf("failures %d\n", failures);
  // Notification, once, and only if no task waits.
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  sigaction(SIGUSR1, &sa, NULL);
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 17 };
  printf("notify %d", mq_notify(q, &event));
  printf(" again %d", mq_notify(q, &event));
  printf(" %d\n", errno);
  put(q, "news", 1);
  printf("caught %d code %d value %d from me %d\n", caught == SIGUSR1, code, value, from_me);
  caught = 0;
  put(q, "more", 1);
  printf("caught %d\n", caught);
  take("news", q), take("more", q);
  put(q, "later", 1);
  printf("caught %d\n", caught);
  take("later", q);
  mq_notify(q, &event);
  printf("withdraw %d\n", mq_notify(q, NULL));
  put(q, "quiet", 1);
  printf("caught %d\n", caught);
  take("quiet", q);
  by_thread(q);
  put(q, "quiet", 1);
  event.sigev_notify = 99;
  printf("method %d", mq_notify(q, &event));
  printf(" %d\n", errno);
  char status[128];
  ssize_t n = read(q, status, sizeof status);
  printf("status %.*s", (int)n, status);
  struct stat st;
  fstat(q, &st);
  printf("mode %o size %ld\n", st.st_mode, (long)st.st_size);
  mqd_t reader = mq_open(name, O_RDONLY | O_NONBLOCK);
  printf("read only %d\n", put(reader, "x", 1));
  take("other descriptor", reader);
  printf("unlink %d", mq_unlink(name));
  printf(" %d", mq_unlink(name));
  printf(" %d, still works %d\n", errno, put(q, "x", 1));
  printf("large %zd", mq_receive(q, text, 10, NULL));
  char big[100] = { 0 };
  printf(" %d %d", errno, mq_send(q, big, 65, 0));
  printf(" %d priority %d", errno, put(q, "x", 40000));
  printf(" descriptor %d", put(0, "x", 1));
  a.mq_maxmsg = 0;
  printf(" attributes %d", mq_open("/other", O_CREAT | O_RDWR, 0600, &a));
  printf(" %d name %d", errno, mq_open("/a/b", O_CREAT | O_RDWR, 0600, NULL));
  printf(" %d\n", errno);
  return 0;
}
