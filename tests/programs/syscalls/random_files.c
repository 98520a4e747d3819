// Random sequences of calls on a few names and descriptors; the argument is the seed.
#include "check.h"
#include <dirent.h>
#include <sys/file.h>
#include <sys/sendfile.h>
static uint64_t state; static unsigned rnd(unsigned n) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return (state >> 20) % n; }
static const char *names[] = {"a", "b", "c", "d", "d/a", "d/e", "d/e/f", "l", "l/a", "./b", "d/../c", "a/", "d/", ".", "none/x", "a//b", "d/e/../../a", "m"};
static const char *name(void) { return names[rnd(sizeof names / sizeof *names)]; }
static int fds[8]; static int *any(void) { return &fds[rnd(8)]; }
static void put(const char *what, long r) { if (r < 0) printf("%s: %s\n", what, strerror(errno)); else printf("%s = %ld\n", what, r); errno = 0; }
static int flags(void) { static const int more[] = {0, 0, O_CREAT, O_CREAT, O_CREAT | O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY, O_NOFOLLOW, O_PATH, O_CREAT | O_TRUNC, O_NONBLOCK}; return rnd(3) | more[rnd(12)] | (rnd(4) ? 0 : O_APPEND); }
static void shown(struct stat *s) { if (S_ISDIR(s->st_mode)) SAY("  dir %o %ld", s->st_mode & 07777, (long)s->st_nlink); else SAY("  %o links %ld size %ld", s->st_mode, (long)s->st_nlink, (long)s->st_size); }
static unsigned sum(const char *b, long n) { unsigned h = 1; for (long i = 0; i < n; i++) h = h * 31 + (unsigned char)b[i]; return h; }
static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static void tree(const char *path) { struct dirent **e; int n = scandir(path, &e, NULL, by_name); for (int i = 0; i < n; i++) { if (!strcmp(e[i]->d_name, ".") || !strcmp(e[i]->d_name, "..")) continue; char sub[500], b[5000]; snprintf(sub, 500, "%s/%s", path, e[i]->d_name); struct stat s; lstat(sub, &s); printf("%s type %d", sub, e[i]->d_type); shown(&s); if (S_ISREG(s.st_mode)) { int fd = open(sub, O_RDONLY); long k = read(fd, b, 5000); SAY("  content %ld %u", k, sum(b, k)); close(fd); } if (S_ISDIR(s.st_mode)) tree(sub); } }
int main(int argc, char **argv) {
    state = (argc > 1 ? atoi(argv[1]) : 1) * 0x9e3779b97f4a7c15ULL + 1; static char b[6000]; struct stat s; for (int i = 0; i < 8; i++) fds[i] = -1; umask(022); mkdir("w", 0755); mkdir("w/w", 0755); chdir("w/w"); mkdir("d", 0755); put_file("a", "first"); symlink("d", "l");
    for (int step = 0; step < 250; step++) {
        printf("%d ", step); int *f = any(), *g = any(); long n = rnd(5000), at = rnd(9000); off_t o1 = rnd(3000), o2 = rnd(3000); for (int i = 0; i < 100; i++) b[i] = rnd(256);
        switch (rnd(44)) {
        case 0: case 1: case 2: case 3: case 4: { const char *p = name(); int fl = flags(); if (*f >= 0) close(*f); *f = open(p, fl, 0666); printf("%s %o ", p, fl); put("open", *f); break; }
        case 5: put("close", close(*f)); *f = -1; break;
        case 6: case 7: { long r = read(*f, b, n); put("read", r); if (r > 0) SAY("  %u", sum(b, r)); break; }
        case 8: case 9: put("write", write(*f, b, n)); break;
        case 10: { long r = pread(*f, b, n, at); put("pread", r); if (r > 0) SAY("  %u", sum(b, r)); break; }
        case 11: put("pwrite", pwrite(*f, b, n, at)); break;
        case 12: { long o = (long)rnd(4000) - 1000; int w = rnd(3); if (fstat(*f, &s) == 0 && S_ISDIR(s.st_mode)) SAY("directory"); else put("lseek", lseek(*f, o, w)); break; }
        case 13: put("ftruncate", ftruncate(*f, at)); break;
        case 14: put("truncate", truncate(name(), at)); break;
        case 15: if (fstat(*f, &s) == 0) shown(&s); else put("fstat", -1); break;
        case 16: case 17: if (stat(name(), &s) == 0) shown(&s); else put("stat", -1); break;
        case 18: if (lstat(name(), &s) == 0) shown(&s); else put("lstat", -1); break;
        case 19: case 20: put("mkdir", mkdir(name(), 0777)); break;
        case 21: put("rmdir", rmdir(name())); break;
        case 22: case 23: put("unlink", unlink(name())); break;
        case 24: case 25: { const char *p = name(), *q = name(); printf("%s %s ", p, q); put("rename", rename(p, q)); break; }
        case 26: case 27: put("link", link(name(), name())); break;
        case 28: put("symlink", symlink(name(), name())); break;
        case 29: { long r = readlink(name(), b, 100); put("readlink", r); break; }
        case 30: put("chmod", chmod(name(), rnd(01000) | 0600)); break;
        case 31: put("fchmod", fchmod(*f, rnd(01000) | 0600)); break;
        case 32: put("access", access(name(), rnd(8))); break;
        case 33: if (*g >= 0 && f != g) close(*g); if (f != g) { *g = dup(*f); put("dup", *g); } break;
        case 34: put("getfl", *f < 0 ? -1 : fcntl(*f, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_PATH)); break;
        case 35: put("setfl", fcntl(*f, F_SETFL, rnd(2) ? O_APPEND : 0)); break;
        case 36: put("copy", copy_file_range(*f, rnd(2) ? &o1 : NULL, *g, rnd(2) ? &o2 : NULL, n, 0)); break;
        case 37: put("sendfile", sendfile(*g, *f, rnd(2) ? &o1 : NULL, n)); break;
        case 38: { struct iovec v[3] = {{b, rnd(50)}, {b + 50, rnd(50)}, {b + 100, rnd(3000)}}; put("writev", writev(*f, v, 3)); break; }
        case 39: { struct iovec v[2] = {{b, rnd(50)}, {b + 50, rnd(3000)}}; put("readv", readv(*f, v, 2)); break; }
        case 40: put("fallocate", fallocate(*f, rnd(2) ? 0 : rnd(2) ? FALLOC_FL_KEEP_SIZE : FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, o1, n)); break;
        case 41: { struct flock k = {.l_type = rnd(3), .l_start = o1, .l_len = n}; put("lock", fcntl(*f, F_SETLK, &k)); break; }
        case 42: put("flock", flock(*f, (rnd(2) ? LOCK_SH : LOCK_EX) | LOCK_NB)); break;
        case 43: { if (*f >= 0) { char *m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, *f, 0); if (m == MAP_FAILED) put("mmap", -1); else { struct stat z; fstat(*f, &z); if (z.st_size > 10) { m[rnd(z.st_size > 8000 ? 8000 : z.st_size)] = rnd(256); SAY("mmap %u", sum(m, z.st_size > 8192 ? 8192 : z.st_size)); } else SAY("mmap empty"); munmap(m, 8192); } } else SAY("none"); break; }
        }
    }
    for (int i = 0; i < 8; i++) if (fds[i] >= 0 && fstat(fds[i], &s) == 0) { printf("fd %d at %ld", i, (long)lseek(fds[i], 0, SEEK_CUR)); shown(&s); } tree("."); return 0;
}
