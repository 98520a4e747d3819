// Other programs: vfork, posix_spawn with actions, execve's errors, what stays and what goes at execve.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int end(pid_t pid) {
  int status;
  if (waitpid(pid, &status, 0) < 0) return -1000;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void withVfork(void) {
  volatile int shared = 1;
  pid_t pid = vfork();
  if (pid == 0) {
    shared = 2;
    _exit(5);
  }
  printf("vfork: shared %d, status %d\n", shared, end(pid));
  pid = vfork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "exit 6", NULL);
    _exit(1);
  }
  printf("vfork and exec: %d\n", end(pid));
  pid = vfork();
  if (pid == 0) {
    execl("/nonexistent", "x", NULL);
    shared = errno;
    _exit(7);
  }
  printf("vfork and failure: %d %s\n", end(pid), strerror(shared));
}

static void withSpawn(void) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "out", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  posix_spawnattr_setsigmask(&attributes, &set);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid;
  char *argv[] = {"sh", "-c", "echo to out; echo to err >&2; kill -INT $$; exit 3", NULL};
  int result = posix_spawnp(&pid, "sh", &actions, &attributes, argv, environ);
  printf("spawn %d, status %d\n", result, end(pid));
  FILE *out = fopen("out", "r");
  for (char line[100]; fgets(line, sizeof line, out);) printf("out: %s", line);
  fclose(out);
  char *missing[] = {"missing", NULL};
  printf("spawn of nothing: %s\n", strerror(posix_spawn(&pid, "/nonexistent", NULL, NULL, missing, environ)));
  printf("system %d\n", WEXITSTATUS(system("exit 12")));
  FILE *pipe = popen("tr a-z A-Z", "w");
  fputs("popen\n", pipe);
  printf("pclose %d\n", pclose(pipe));
}

static void errors(void) {
  char *argv[] = {"x", NULL};
  execve("/nonexistent", argv, environ);
  printf("missing: %s\n", strerror(errno));
  execve("/", argv, environ);
  printf("directory: %s\n", strerror(errno));
  int fd = open("text", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  write(fd, "exit 4\n", 7);
  execve("text", argv, environ);
  printf("not executable: %s\n", strerror(errno));
  fchmod(fd, 0755);
  close(fd);
  execve("text", argv, environ);
  printf("no format: %s\n", strerror(errno));
  execve("text/below", argv, environ);
  printf("not a directory: %s\n", strerror(errno));
  execve((char *)16, argv, environ);
  printf("bad path: %s\n", strerror(errno));
  execve("/bin/true", (char **)16, environ);
  printf("bad arguments: %s\n", strerror(errno));
  fd = open("script", O_WRONLY | O_CREAT | O_TRUNC, 0755);
  dprintf(fd, "#!/nonexistent/interpreter\n");
  close(fd);
  execve("script", argv, environ);
  printf("no interpreter: %s\n", strerror(errno));
  pid_t pid = fork();
  if (pid == 0) {
    execlp("./text", "text", NULL);
    _exit(1);
  }
  printf("execlp runs a shell: %d\n", end(pid));
}

static void onSignal(int signal) { (void)signal; }

static void keeping(char *self) {
  int kept = open("kept", O_RDWR | O_CREAT | O_TRUNC, 0600);
  int closed = open("closed", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  dup2(kept, 40);
  dup2(closed, 41);
  dup3(closed, 42, O_CLOEXEC);
  fcntl(40, F_SETFD, FD_CLOEXEC);
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, onSignal);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGWINCH);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGHUP);
  alarm(1000);
  pid_t pid = fork();
  if (pid == 0) {
    char text[20];
    sprintf(text, "%d", getpid());
    raise(SIGHUP);
    execl(self, self, "second", text, NULL);
  }
  printf("exec: %d\n", end(pid));
}

static int second(char *pid) {
  sigset_t blocked, pending;
  struct sigaction one, two;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  sigpending(&pending);
  sigaction(SIGUSR1, NULL, &one);
  sigaction(SIGUSR2, NULL, &two);
  printf("same pid %d, blocked %d %d, pending %d, ignored %d, default %d, alarm %d\n", atoi(pid) == getpid(),
         sigismember(&blocked, SIGHUP), sigismember(&blocked, SIGUSR2), sigismember(&pending, SIGHUP),
         one.sa_handler == SIG_IGN, two.sa_handler == SIG_DFL, alarm(0));
  for (int fd = 3; fd < 50; fd++)
    if (fcntl(fd, F_GETFD) >= 0) printf("open: %d\n", fd);
  return 11;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > 2 && strcmp(argv[1], "second") == 0) return second(argv[2]);
  withVfork();
  withSpawn();
  errors();
  keeping(argv[0]);
  return 0;
}
