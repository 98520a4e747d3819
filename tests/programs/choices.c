/*
 * Goes one of two ways: what branches of recordings are tried on. The way that is taken reads a file; the other one, too, and
 * then changes files in the folder. Arguments: the folder, and what else it is to do in the middle.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int choice = 1;
volatile int threads = 0;
volatile long total;
int *volatile nowhere;
int *volatile shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) long work(int rounds) {
  long sum = 0;
  for (int i = 0; i < rounds; i++) sum += i % 7 * (sum & 3);
  return sum;
}

static void *add(void *arg) {
  for (int i = 0; i < 10; i++) {
    pthread_mutex_lock(&lock);
    total += work(50) + (long)arg;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static long sumOfFile(const char *path) {
  char buffer[64];
  long sum = 0;
  int fd = open(path, O_RDONLY);
  for (ssize_t count; (count = read(fd, buffer, sizeof buffer)) > 0;)
    for (int i = 0; i < count; i++) sum += buffer[i];
  close(fd);
  return sum;
}

static void change(void) {
  FILE *file = fopen("victim", "w");
  fputs("overwritten", file);
  fclose(file);
  mkdir("new", 0755);
  rename("victim", "new/victim");
  unlink("input");
  printf("input is gone: %d\n", access("input", F_OK));
}

/* Files that it makes itself: a second run finds them. */
static void writeLog(void) {
  int fd = open("log", O_CREAT | O_RDWR, 0644);
  for (int i = 0; i < 10; i++) {
    dprintf(fd, "line %ld\n", work(200));
    if (i != 7) continue;
    printf("made %d", mkdir("made", 0755));
    printf(" %d\n", symlink("log", "made/link"));
  }
  printf("size %ld\n", (long)lseek(fd, 0, SEEK_END));
  close(fd);
}

/* Some process always waits for another, and something is in the pipes. */
static void talk(void) {
  int requests[2], answers[2], status;
  char buffer[300] = "";
  pipe(requests);
  pipe(answers);
  if (fork() == 0) {
    close(requests[1]);
    while (read(requests[0], buffer, sizeof buffer) > 0) {
      total += work(100);
      memset(buffer + 1, 'x', 200);
      write(answers[1], buffer, 201);
    }
    exit(3);
  }
  write(requests[1], "abc", 3);
  for (int i = 0; i < 5; i++) {
    total += work(300);
    write(requests[1], "defghi" + i, 1);
    total += read(answers[0], buffer, 150) + buffer[0];
  }
  close(requests[1]);
  total += work(300);
  wait(&status);
  printf("status %d\n", WEXITSTATUS(status));
}

/* The same with sockets, some of it in long messages. */
static void chat(void) {
  int ends[2], status;
  char buffer[400] = "";
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  if (fork() == 0) {
    close(ends[1]);
    while (recv(ends[0], buffer, sizeof buffer, 0) > 0) {
      total += work(100);
      memset(buffer + 1, 'x', 200);
      write(ends[0], buffer, 201);
    }
    exit(3);
  }
  close(ends[0]);
  write(ends[1], "abc", 3);
  for (int i = 0; i < 5; i++) {
    total += work(300);
    send(ends[1], "defghi" + i, 1, 0);
    total += i % 2 ? read(ends[1], buffer, 150) : recv(ends[1], buffer, 150, 0);
    total += buffer[0];
  }
  shutdown(ends[1], SHUT_WR);
  total += work(300);
  wait(&status);
  printf("status %d\n", WEXITSTATUS(status));
}

/* Two processes count in memory that both have. */
static void count(void) {
  shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared[1024] = 100;
  for (int i = 0; i < 5; i++) {
    if (fork() == 0) {
      shared[0] += shared[1024];
      exit(0);
    }
    shared[0] += 1;
    wait(NULL);
  }
  printf("shared %d\n", shared[0]);
}

int main(int argc, char **argv) {
  if (chdir(argv[1]) != 0) return 2;
  total = sumOfFile("input");
  for (int i = 0; i < 20; i++) total += work(100);
  printf("first %ld\n", total);
  fflush(stdout);
  if (argc > 2 && strcmp(argv[2], "threads") == 0) {
    pthread_t all[3];
    for (long i = 0; i < 3; i++) pthread_create(&all[i], NULL, add, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(all[i], NULL);
  }
  if (argc > 2 && strcmp(argv[2], "log") == 0) writeLog();
  if (argc > 2 && strcmp(argv[2], "shared") == 0) count();
  if (argc > 2 && strcmp(argv[2], "processes") == 0) talk();
  if (argc > 2 && strcmp(argv[2], "sockets") == 0) chat();
  if (argc > 2 && strcmp(argv[2], "crash") == 0) *nowhere = 1;
  if (choice == 1) {
    puts("left");
  } else {
    puts("right");
    change();
  }
  printf("second %ld\n", total + sumOfFile("input"));
  return (int)(total & 3);
}
