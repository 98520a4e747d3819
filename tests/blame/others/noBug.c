#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char *p = malloc(100); strcpy(p, "hello"); 
    int a[10]; for (int i = 0; i < 10; i++) a[i] = i;
    printf("%s %d\n", p, a[3]); free(p); return argc - 1;
}
