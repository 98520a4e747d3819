// Directories: making, reading, seeking, walking, changing; the *at functions.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
static int entries;
static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int visit(const char *path, const struct stat *st, int kind, struct FTW *where) { entries += kind + where->level + (int)(path[0] == '.') + (S_ISREG(st->st_mode) ? (int)st->st_size : 0); return 0; }
int main(void) {
    printf("%d %d", mkdir("top", 0755), mkdir("top/sub", 0700)); printf(" %d %d\n", mkdir("top", 0755), errno == EEXIST);
    int dir = open("top", O_RDONLY | O_DIRECTORY); char name[40], cwd[PATH_MAX], *names[600]; int n = 0;
    for (int i = 0; i < 500; i++) { snprintf(name, sizeof name, "file%03d%.*s", i, i % 20, "xxxxxxxxxxxxxxxxxxxx"); int fd = openat(dir, name, O_CREAT | O_WRONLY, 0644); if (write(fd, name, i % 7) < 0) return 1; close(fd); }
    DIR *d = opendir("top"); struct dirent *e; int types[16] = {0}; long middle = 0;
    while ((e = readdir(d))) { types[e->d_type]++; names[n++] = strdup(e->d_name); if (n == 250) middle = telldir(d); }
    qsort(names, n, sizeof *names, compare); printf("%d entries, %d regular, %d directories, %s %s\n", n, types[DT_REG], types[DT_DIR], names[0], names[n - 1]);
    seekdir(d, middle); int rest = 0; while (readdir(d)) rest++; rewinddir(d); int again = 0; while (readdir(d)) again++; printf("%d %d %d\n", rest, again, dirfd(d) > 2); closedir(d);
    printf("%d %d\n", unlinkat(dir, "file000", 0), unlinkat(dir, "sub", AT_REMOVEDIR)); printf("%d %d %d\n", rmdir("top"), errno == ENOTEMPTY, renameat(dir, "file001x", AT_FDCWD, "moved"));
    struct stat st; printf("%d %ld\n", fstatat(dir, "file002xx", &st, 0), (long)st.st_size); printf("%d %d\n", faccessat(dir, "nothing", F_OK, 0), errno == ENOENT);
    printf("%d", nftw("top", visit, 10, FTW_PHYS)); printf(" %d\n", entries); glob_t g; printf("%d", glob("top/file1?[0-4]*", 0, NULL, &g)); printf(" %zu %s\n", g.gl_pathc, g.gl_pathv[3]);
    struct dirent **list; int count = scandir("top", &list, NULL, alphasort); printf("%d %s\n", count, list[5]->d_name);
    printf("%d %d", chdir("top"), getcwd(cwd, sizeof cwd) != NULL); printf(" %s %d\n", strrchr(cwd, '/'), fchdir(open("/", O_RDONLY))); printf("%s", getcwd(cwd, sizeof cwd)); printf(" %d %d\n", getcwd(cwd, 1) == NULL, errno == ERANGE);
    char resolved[PATH_MAX]; printf("%s %d\n", realpath("/usr/../usr/./bin", resolved), realpath("/no/such", resolved) == NULL); struct statvfs vfs; printf("%d %lu\n", statvfs("/", &vfs), vfs.f_namemax);
    printf("%d %d\n", mkdirat(dir, "late", 0), symlinkat("late", dir, "pointer")); printf("%zd %s\n", readlinkat(dir, "pointer", resolved, 4), strncmp(resolved, "late", 4) ? "differs" : "same");
    return 0;
}
