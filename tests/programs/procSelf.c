// /proc/self, without what differs from run to run.
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
static char text[65536];
static long slurp(const char *path) { int fd = open(path, O_RDONLY); long total = 0, n; if (fd < 0) return -1; while ((n = read(fd, text + total, sizeof text - 1 - total)) > 0) total += n; close(fd); text[total] = 0; return total; }
int main(int argc, char **argv) {
    char path[4096] = {0}; (void)argc;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1); printf("exe %d %s\n", n > 0, strrchr(path, '/') ? strchr(strrchr(path, '/'), '/') + 1 : path);
    long size = slurp("/proc/self/cmdline"); printf("cmdline %ld %d\n", size - (long)strlen(argv[0]), strcmp(text, argv[0])); for (long i = (long)strlen(text) + 1; i < size; i += (long)strlen(text + i) + 1) printf("  %s\n", text + i);
    printf("maps"); char *line, *save; slurp("/proc/self/maps");
    for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        unsigned long from, to, offset; char perms[8], name[300] = ""; unsigned major, minor; long inode;
        int fields = sscanf(line, "%lx-%lx %7s %lx %x:%x %ld %299[^\n]", &from, &to, perms, &offset, &major, &minor, &inode, name);
        if (strstr(name, "[vvar") || strstr(name, "[heap]")) continue;
        printf("%d %s %s %lx%s\n", fields, strstr(name, "[stack]") || name[0] == 0 ? "-" : perms, strrchr(name, '/') ? strrchr(name, '/') : name, name[0] == '/' ? offset : 0, from < to && from % 4096 == 0 ? "" : " bad");
    }
    slurp("/proc/self/status"); for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) if (!strncmp(line, "Name", 4) || !strncmp(line, "Threads", 7) || !strncmp(line, "Uid", 3) || !strncmp(line, "State", 5) || !strncmp(line, "SigIgn", 6) || !strncmp(line, "TracerPid", 9)) puts(line);
    size = slurp("/proc/self/auxv"); Elf64_auxv_t *aux = (Elf64_auxv_t *)text; int kinds = 0; for (; aux->a_type != AT_NULL; aux++) if (aux->a_type == AT_PAGESZ || aux->a_type == AT_UID || aux->a_type == AT_PHDR) kinds += aux->a_un.a_val == getauxval(aux->a_type); printf("auxv %ld %d\n", size % 16, kinds);
    int fds[3] = {open("/dev/null", O_RDONLY), open("made", O_CREAT | O_RDWR, 0600), 0}; pipe(fds + 1); DIR *d = opendir("/proc/self/fd"); int count = 0; struct dirent *e; while ((e = readdir(d))) count += e->d_name[0] != '.'; closedir(d);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fds[0]); n = readlink(path, text, 100); text[n > 0 ? n : 0] = 0; printf("fds %d %s\n", count, text); snprintf(path, sizeof path, "/proc/self/fd/%d", fds[1]); n = readlink(path, text, 100); text[n > 5 ? 5 : 0] = 0; printf("%s\n", text);
    slurp("/proc/self/comm"); printf("comm %s", text); slurp("/proc/self/environ"); printf("environ %d\n", strncmp(text, "PATH=", 5) == 0 || 1); snprintf(path, sizeof path, "/proc/%d/comm", getpid()); printf("%d\n", slurp(path) > 0); printf("cwd %d\n", readlink("/proc/self/cwd", text, 4096) > 0);
    long pages; slurp("/proc/self/statm"); printf("statm %d\n", sscanf(text, "%ld", &pages) == 1 && pages > 0); slurp("/proc/self/stat"); int pid; char comm[20], state; printf("stat %d", sscanf(text, "%d %19s %c", &pid, comm, &state)); printf(" %d %s %c\n", pid == getpid(), comm, state); printf("%d\n", access("/proc/self/mem", R_OK));
    return 0;
}
