#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*twice)(int) = (int (*)(int)) dlsym(library, "twice");
  int result = twice(21);
  dlclose(library);
  printf("%d\n", result);
  return 0;
}
