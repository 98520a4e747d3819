#include <assert.h>
#include <string.h>
struct { char name[8]; int count; } s;
int main(int argc, char **argv) { s.count = 3; strcpy(s.name, argv[1]); assert(s.count == 3); return 0; }
