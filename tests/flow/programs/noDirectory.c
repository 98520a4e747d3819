/* As in an archiver: a directory that cannot be read has no contents, and the program does not check. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static char *saveDirectory(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL)
    return NULL;
  closedir(directory);
  return malloc(1);
}

static char *getContents(char *path) {
  char *contents = saveDirectory(path);
  char *entry;
  size_t length = 0;
  for (entry = contents; (length = strlen(entry)) != 0; entry += length + 1) // MARK: crash
    ;
  return entry;
}

int main(void) {
  return getContents("/no/such/directory") == NULL;
}
