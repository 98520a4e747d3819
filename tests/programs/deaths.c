// Children that die of every signal there is, by an instruction where that is how one gets it, of SIGTERM and SIGKILL by their parent; with arguments, only of those.
// With a single one the program itself does.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int zero;

static void dieOf(int signal) {
  switch (signal) {
    case SIGSEGV:
      *(volatile int *)(long)zero = 1;
      break;
    case SIGILL:
      __asm__ volatile("ud2");
      break;
    case SIGTRAP:
      __asm__ volatile("int3");
      break;
    case SIGFPE:
      printf("%d\n", 1 / zero);
      break;
    case SIGABRT:
      abort();
    case SIGBUS: {
      int fd = open("bus", O_RDWR | O_CREAT | O_TRUNC, 0600);
      char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
      printf("%d\n", map[100]);
      break;
    }
    case SIGPIPE: {
      int ends[2];
      pipe(ends);
      close(ends[0]);
      write(ends[1], "x", 1);
      break;
    }
    case SIGALRM:
      alarm(1);
      pause();
      break;
    default:
      kill(getpid(), signal);
  }
}

static void childDiesOf(int signal) {
  int isFromParent = signal == SIGTERM || signal == SIGKILL;
  pid_t child = fork();
  if (child == 0) {
    while (isFromParent) pause();
    dieOf(signal);
    _exit(7);
  }
  if (isFromParent) kill(child, signal);
  int status;
  waitpid(child, &status, 0);
  printf("%d: %s %d\n", signal, WIFSIGNALED(status) ? "killed by" : "exited with", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc == 2) {
    printf("dying of %s\n", argv[1]);
    dieOf(atoi(argv[1]));
    return 1;
  }
  for (int i = 1; i < argc; i++) childDiesOf(atoi(argv[i]));
  for (int signal = 1; argc == 1 && signal < 65; signal++) {
    if (signal == 32 || signal == 33 || signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) continue;
    childDiesOf(signal);
  }
  return 0;
}
