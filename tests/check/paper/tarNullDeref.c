/*
 * The part of an archiver that makes incremental backups, after Tar-1.13.25. A directory that cannot be opened has
 * no contents: savedir says so by NULL, and the one who asked goes on with strlen.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_SIZE_DEFAULT 512

typedef struct buffer { long allocated; long length; char *buffer; } buffer;

struct directory {
  struct directory *next;
  char *name;
  ino_t inode;
};

static struct directory *directories;

static buffer *init_buffer(void) {
  buffer *b = malloc(sizeof *b);
  b->allocated = 16;
  b->length = 0;
  b->buffer = malloc(b->allocated);
  return b;
}

static void add_buffer(buffer *b, const char *text, long length) {
  if (b->length + length > b->allocated) {
    b->allocated = (b->length + length) * 2;
    b->buffer = realloc(b->buffer, b->allocated);
  }
  memcpy(b->buffer + b->length, text, length);
  b->length += length;
}

static void flush_buffer(buffer *b) {
  free(b->buffer);
  free(b);
}

static void note_directory(const char *name, ino_t inode) {
  struct directory *directory = malloc(sizeof *directory);
  directory->name = strdup(name);
  directory->inode = inode;
  directory->next = directories;
  directories = directory;
}

static struct directory *find_directory(const char *name) {
  struct directory *directory = directories;
  while (directory != NULL && strcmp(directory->name, name) != 0) directory = directory->next;
  return directory;
}

/** Names of all files in DIR, one after the other, an empty one at the end. NULL if it cannot be read. */
static char *savedir(const char *dir) {
  DIR *dirp;
  struct dirent *dp;
  char *name_space;
  size_t allocated = NAME_SIZE_DEFAULT, used = 0;

  dirp = opendir(dir);
  if (dirp == NULL)
    return NULL; /* ROOT */

  name_space = malloc(allocated);
  while ((dp = readdir(dirp)) != NULL) {
    size_t size = strlen(dp->d_name) + 1;
    if (strcmp(dp->d_name, ".") == 0 || strcmp(dp->d_name, "..") == 0) continue;
    if (used + size >= allocated) {
      allocated = (used + size) * 2;
      name_space = realloc(name_space, allocated);
    }
    strcpy(name_space + used, dp->d_name);
    used += size;
  }
  name_space[used] = '\0';
  closedir(dirp);
  return name_space;
}

static int is_new(const char *path) {
  struct stat status;
  if (find_directory(path) != NULL) return 0;
  if (stat(path, &status) == 0) note_directory(path, status.st_ino);
  return 1;
}

/** The contents of PATH as the archive wants them: a letter and a name for each. */
static char *get_directory_contents(const char *path) {
  buffer *accumulator;
  char *dirp = savedir(path);
  char *entry;
  size_t entrylen;
  char *result;

#ifdef FIXED
  if (dirp == NULL) {
    printf("%s: Cannot open: %s\n", path, strerror(errno));
    return NULL;
  }
#endif
  accumulator = init_buffer();
  is_new(path);
  for (entry = dirp;
       (entrylen = strlen(entry)) != 0; /* BUG */
       entry += entrylen + 1) {
    add_buffer(accumulator, "Y", 1);
    add_buffer(accumulator, entry, entrylen + 1);
  }
  add_buffer(accumulator, "\0\0", 2);
  result = malloc(accumulator->length);
  memcpy(result, accumulator->buffer, accumulator->length);
  flush_buffer(accumulator);
  free(dirp);
  return result;
}

static int dump_directory(const char *path) {
  int files = 0;
  char *contents = get_directory_contents(path);
  if (contents == NULL) return -1;
  for (char *at = contents; *at != '\0'; at += strlen(at) + 1) files++;
  free(contents);
  return files;
}

static void free_directories(void) {
  while (directories != NULL) {
    struct directory *next = directories->next;
    free(directories->name);
    free(directories);
    directories = next;
  }
}

int main(void) {
  static const char *const paths[] = { "ordinary", "unreadable" };
  mkdir("ordinary", 0755);
  fclose(fopen("ordinary/first", "w"));
  fclose(fopen("ordinary/second", "w"));
  for (int i = 0; i < 2; i++) printf("%s: %d\n", paths[i], dump_directory(paths[i]));
  free_directories();
  return 0;
}
