/* Calls what is wrong in the library of modules.c. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int (*overflow)(void) = (int (*)(void))dlsym(dlopen(argv[1], RTLD_NOW), "overflow");
  return printf("%d\n", overflow()) < 0;
}
