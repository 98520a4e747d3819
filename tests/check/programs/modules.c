/* Pointers to globals of libraries that come and go, of units with and without optimisation, and of programs that follow each other in a process. Its output does not depend on addresses. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int shared[8] = { 1, 1, 1, 1, 2, 2, 2, 2 };
static int own[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
int optimised_total(const int *);
int *optimised_begin(void);

static int library(const char *path, int flags) {
  void *handle = dlopen(path, flags);
  if (handle == NULL) return puts(dlerror());
  int (*total)(void) = (int (*)(void))dlsym(handle, "total"), sum = 0;
  int *(*row)(void) = (int *(*)(void))dlsym(handle, "row"), *(*row_end)(void) = (int *(*)(void))dlsym(handle, "row_end");
  int *visible = dlsym(handle, "visible");
  for (int *at = row(); at != row_end(); at++) sum += *at;
  for (int *at = visible; at != visible + 4; at++) sum += *at;
  printf("%d %d\n", total(), sum);
  return dlclose(handle);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    for (int *at = own; at != own + 8; at++) printf("%d ", *at);
    return puts(argv[2]) < 0;
  }
  for (int i = 0; i < 6; i++) library(argv[1], i == 4 ? RTLD_NOW | RTLD_NODELETE : RTLD_NOW);
  int sum = 0;
  for (int *at = optimised_begin(); at != shared + 8; at++) sum += *at;
  printf("%d %d %d\n", optimised_total(shared), optimised_begin() == shared, sum);
  fflush(stdout);
  if (vfork() == 0) _exit(execl(argv[0], argv[0], argv[1], "in a child", NULL));
  wait(NULL);
  return execl(argv[0], argv[0], argv[1], "in its place", NULL);
}
