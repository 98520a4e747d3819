#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#define APART __attribute__((noipa))
volatile long source;
char text[200], copy[400];
int main(void) {
  strcpy(text, "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz");
  source = 0x7a7a7a7a7a7a7a7a;
  memcpy(text + 8, (void *)&source, 8);
  size_t n = strlen(text);
  strcpy(copy, text); strcat(copy, text);
  char *found = strchr(text, 'z');
  int order = strcmp(text, copy) + strncmp(text, "0123", 4) + memcmp(text, copy, 50);
  char *dup = strdup(text);
  long value = strtol(text + 8, NULL, 36);
  int *bad = (int *)(n << 40);
  printf("n %zu\n", n);
  if (order || value) puts("order");
  if (found) *found = 'y';
  printf("%d\n", *bad);
  free(dup);
  puts("end");
  return 0;
}
