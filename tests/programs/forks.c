// fork: two processes with the same memory, from then on apart; exit statuses, pipes between them, what is inherited.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int global = 1;

static int statusOf(pid_t pid) {
  int status = -1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : -1000;
}

static void memory(void) {
  int local = 10;
  char *heap = malloc(100000);
  memset(heap, 'p', 100000);
  char *mapped = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pid_t pid = fork();
  if (pid == 0) {
    int ok = global == 1 && local == 10 && heap[99999] == 'p' && mapped[500000] == 0;
    global = 2;
    local = 20;
    memset(heap, 'c', 100000);
    mapped[500000] = 'c';
    munmap(mapped, 4096);
    exit(ok ? 42 : 1);
  }
  printf("child says %d\n", statusOf(pid));
  mapped[0] = 1;
  printf("global %d local %d heap %c mapped %d\n", global, local, heap[99999], mapped[500000]);
}

static void endings(void) {
  for (int i = 0; i < 4; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      if (i == 0) _exit(255 + 3);
      if (i == 1) abort();
      if (i == 2) raise(SIGKILL);
      *(volatile int *)8 = 1;
    }
    printf("ended: %d\n", statusOf(pid));
  }
}

static void pipes(void) {
  int down[2], up[2];
  pipe(down);
  pipe(up);
  pid_t pid = fork();
  if (pid == 0) {
    close(down[1]);
    close(up[0]);
    long sum = 0;
    char buffer[777];
    for (ssize_t n; (n = read(down[0], buffer, sizeof buffer)) > 0;)
      for (ssize_t i = 0; i < n; i++) sum += (unsigned char)buffer[i];
    write(up[1], &sum, sizeof sum);
    _exit(0);
  }
  close(down[0]);
  close(up[1]);
  char *data = malloc(300000);
  long expected = 0;
  for (int i = 0; i < 300000; i++) expected += (unsigned char)(data[i] = i * 7);
  printf("wrote %zd\n", write(down[1], data, 300000));
  close(down[1]);
  long sum = 0;
  printf("read %zd, sum %s\n", read(up[0], &sum, sizeof sum), sum == expected ? "right" : "wrong");
  printf("then %zd, status %d\n", read(up[0], &sum, sizeof sum), statusOf(pid));
}

static void brokenPipe(void) {
  int ends[2];
  pipe(ends);
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    for (;;) write(ends[1], "xxxxxxxxxxxxxxxx", 16);
  }
  close(ends[1]);
  char buffer[16];
  read(ends[0], buffer, 16);
  close(ends[0]);
  printf("writer ended by %d\n", statusOf(pid));
  signal(SIGPIPE, SIG_IGN);
  pipe(ends);
  close(ends[0]);
  printf("write: %zd", write(ends[1], "x", 1));
  printf(" %s\n", strerror(errno));
  signal(SIGPIPE, SIG_DFL);
}

static void inherited(void) {
  int fd = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0600);
  umask(027);
  chdir("/");
  pid_t pid = fork();
  if (pid == 0) {
    char cwd[100];
    write(fd, "child ", 6);
    dup2(fd, 50);
    close(fd);
    int ok = umask(0) == 027 && getcwd(cwd, sizeof cwd) && strcmp(cwd, "/") == 0;
    chdir("/tmp");
    _exit(ok ? 0 : 1);
  }
  printf("inherits: %d\n", statusOf(pid));
  write(fd, "parent", 6);
  char text[20] = "", cwd[100];
  pread(fd, text, 12, 0);
  printf("%s, offset %ld, 50 is %s, cwd %s, umask %o\n", text, (long)lseek(fd, 0, SEEK_CUR),
         fcntl(50, F_GETFD) < 0 ? "closed" : "open", getcwd(cwd, sizeof cwd), umask(022));
}

static void tree(int depth) {
  pid_t pids[3];
  for (int i = 0; i < 3; i++) {
    pids[i] = fork();
    if (pids[i] == 0) {
      if (depth > 0) tree(depth - 1);
      _exit(i + 1);
    }
  }
  int sum = 0;
  for (int i = 2; i >= 0; i--) sum += statusOf(pids[i]);
  if (depth == 2) printf("tree %d\n", sum);
}

static volatile sig_atomic_t children;
static void onChild(int signal) { children += signal == SIGCHLD; }

static void pendingAndMasks(void) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, &old);
  raise(SIGUSR1);
  signal(SIGCHLD, onChild);
  alarm(100);
  pid_t pid = fork();
  if (pid == 0) {
    sigset_t pending, blocked;
    sigpending(&pending);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    _exit(sigismember(&pending, SIGUSR1) * 2 + sigismember(&blocked, SIGUSR1) + (alarm(0) != 0) * 4);
  }
  printf("child: %d\n", statusOf(pid));
  printf("alarm %d, SIGCHLD %d\n", alarm(0) > 0, (int)children);
  signal(SIGUSR1, SIG_IGN);
  sigprocmask(SIG_SETMASK, &old, NULL);
  signal(SIGCHLD, SIG_DFL);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  memory();
  endings();
  pipes();
  brokenPipe();
  inherited();
  tree(2);
  pendingAndMasks();
  printf("no more: %d %s\n", waitpid(-1, NULL, 0), strerror(errno));
  return 0;
}
