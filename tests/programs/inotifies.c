// inotify: what the program and its children do to files, in which order it is told, flags of watches, errors.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *names[] = { "access", "modify", "attrib", "close_write", "close_nowrite", "open", "moved_from", "moved_to", "create", "delete", "delete_self", "move_self" };
static uint32_t last_cookie;

static void drain(const char *what, int fd) {
  char buffer[8192] __attribute__((aligned(8)));
  int waiting = -1;
  ioctl(fd, FIONREAD, &waiting);
  ssize_t n = read(fd, buffer, sizeof buffer);
  printf("%s: %s\n", what, n < 0 ? "nothing" : waiting == n ? "" : "FIONREAD differs");
  for (char *at = buffer; n > 0 && at < buffer + n;) {
    struct inotify_event *e = (void *)at;
    printf("  %d", e->wd);
    for (int i = 0; i < 12; i++) if (e->mask & (1 << i)) printf(" %s", names[i]);
    if (e->mask & IN_ISDIR) printf(" dir");
    if (e->mask & IN_IGNORED) printf(" ignored");
    if (e->mask & IN_Q_OVERFLOW) printf(" overflow");
    if (e->cookie) printf(" cookie%s", e->cookie == last_cookie ? " as before" : ""), last_cookie = e->cookie;
    printf(" length %u", e->len);
    if (e->len) printf(" %s", e->name);
    printf("\n");
    at += sizeof *e + e->len;
  }
}

static void put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  write(fd, text, strlen(text));
  close(fd);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  mkdir("d", 0755);
  printf("watch %d, flags %x\n", inotify_add_watch(fd, "d", IN_ALL_EVENTS), fcntl(fd, F_GETFL));
  drain("nothing", fd);
  put("d/a", "hello");
  drain("new file", fd);
  put("d/a", "again");
  drain("written anew", fd);
  int f = open("d/a", O_RDWR);
  char c[8];
  read(f, c, 2), read(f, c, 2), write(f, "x", 1), write(f, "y", 1), ftruncate(f, 3), fchmod(f, 0600);
  close(f);
  drain("read and written", fd);
  chmod("d/a", 0640), truncate("d/a", 1), utimes("d/a", NULL);
  link("d/a", "d/a-name-that-is-longer-than-sixteen"), symlink("a", "d/s"), mkfifo("d/p", 0600), mkdir("d/sub", 0755);
  drain("names", fd);
  rename("d/a", "d/b"), rename("d/b", "outside"), rename("outside", "d/c"), rename("d/c", "d/s");
  drain("moves", fd);
  unlink("d/s"), rmdir("d/sub"), unlink("d/p");
  drain("removed", fd);
  closedir(opendir("d"));
  DIR *dir = opendir("d");
  while (readdir(dir));
  closedir(dir);
  drain("listed", fd);
  // The file itself and its directory.
  put("d/f", "1");
  drain("f", fd);
  int w = inotify_add_watch(fd, "d/f", IN_ALL_EVENTS);
  printf("watch %d, same again %d\n", w, inotify_add_watch(fd, "d/f", IN_ALL_EVENTS));
  f = open("d/f", O_RDONLY);
  read(f, c, 1);
  close(f);
  drain("both", fd);
  rename("d/f", "d/g");
  drain("moved", fd);
  f = open("d/g", O_RDONLY);
  unlink("d/g");
  drain("unlinked while open", fd);
  close(f);
  drain("closed", fd);
  put("d/q", ""), mkdir("d/r", 0755);
  inotify_add_watch(fd, "d/q", IN_ALL_EVENTS), inotify_add_watch(fd, "d/r", IN_ALL_EVENTS);
  unlink("d/q"), rmdir("d/r");
  drain("both gone", fd);
  put("d/q", "1"), put("d/r", "2");
  inotify_add_watch(fd, "d/q", IN_ALL_EVENTS), inotify_add_watch(fd, "d/r", IN_ALL_EVENTS);
  drain("made anew", fd);
  rename("d/q", "d/r");
  drain("one over the other", fd);
  unlink("d/r");
  drain("gone", fd);
  printf("gone %d", inotify_rm_watch(fd, w));
  printf(" %d\n", errno);
  // A child's doing.
  pid_t child = fork();
  if (child == 0) {
    put("d/from-child", "x");
    _exit(0);
  }
  waitpid(child, NULL, 0);
  drain("child", fd);
  // Masks.
  printf("fewer %d\n", inotify_add_watch(fd, "d", IN_CREATE));
  put("d/from-child", "y"), put("d/h", "z");
  drain("only create", fd);
  inotify_add_watch(fd, "d", IN_DELETE | IN_MASK_ADD);
  unlink("d/h"), put("d/h", "z");
  drain("and delete", fd);
  inotify_add_watch(fd, "d", IN_MODIFY | IN_ONESHOT);
  put("d/h", "once"), put("d/h", "twice");
  drain("one shot", fd);
  w = inotify_add_watch(fd, "d", IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
  printf("new number %d\n", w);
  rename("d", "e");
  drain("directory moved", fd);
  unlink("e/h"), unlink("e/from-child"), unlink("e/a-name-that-is-longer-than-sixteen");
  rmdir("e");
  drain("directory gone", fd);
  // Removing a watch; merging; small buffers; readiness.
  mkdir("d", 0755);
  w = inotify_add_watch(fd, "d", IN_ATTRIB | IN_CREATE);
  put("d/x", "");
  for (int i = 0; i < 3; i++) chmod("d/x", 0600 + i);
  struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
  printf("poll %d", poll(&p, 1, 0));
  printf(" %x\n", p.revents);
  char small[20];
  printf("small %zd", read(fd, small, 20));
  printf(" %d\n", errno);
  drain("merged", fd);
  printf("remove %d\n", inotify_rm_watch(fd, w));
  drain("ignored", fd);
  inotify_add_watch(fd, "d", IN_EXCL_UNLINK | IN_MODIFY);
  f = open("d/x", O_WRONLY);
  write(f, "1", 1);
  unlink("d/x");
  write(f, "2", 1);
  drain("unlinked", fd);
  close(f);
  printf("errors: %d", inotify_init1(1));
  printf(" %d %d", errno, inotify_add_watch(fd, "absent", IN_OPEN));
  printf(" %d %d", errno, inotify_add_watch(fd, "d", 0));
  printf(" %d %d", errno, inotify_add_watch(0, "d", IN_OPEN));
  printf(" %d %d", errno, inotify_add_watch(99, "d", IN_OPEN));
  printf(" %d %d", errno, inotify_add_watch(fd, "d", IN_OPEN | IN_MASK_CREATE));
  printf(" %d %d", errno, inotify_add_watch(fd, "d", IN_OPEN | IN_MASK_CREATE | IN_MASK_ADD));
  printf(" %d %d", errno, inotify_add_watch(fd, NULL, IN_OPEN));
  put("plain", "");
  printf(" %d %d", errno, inotify_add_watch(fd, "plain", IN_OPEN | IN_ONLYDIR));
  printf(" %d %d", errno, inotify_rm_watch(fd, 77));
  printf(" %d %d", errno, inotify_rm_watch(0, 1));
  printf(" %d\n", errno);
  printf("write %zd", write(fd, "x", 1));
  printf(" %d\n", errno);
  return 0;
}
