// A tree of processes, all writing to one pipe: who comes when, with which number.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int p[2];
static void grow(int depth, int path) { char b[40]; int n = sprintf(b, "%d:%d by %d\n", path, getpid(), getppid()); write(p[1], b, n); if (depth == 0) return; for (int i = 0; i < 2; i++) if (fork() == 0) { for (volatile int k = 0; k < path * 3000; k++); grow(depth - 1, path * 2 + i); int st; while (wait(&st) > 0); _exit(path & 63); } int st; while ((n = wait(&st)) > 0) { char e[40]; write(p[1], e, sprintf(e, "%d ended with %d\n", n, WEXITSTATUS(st))); } }
int main(void) { pipe(p); if (fork() == 0) { close(p[0]); grow(4, 1); _exit(0); } close(p[1]); char b[4096]; long n; while ((n = read(p[0], b, sizeof b)) > 0) fwrite(b, 1, n, stdout); wait(NULL); return 0; }
