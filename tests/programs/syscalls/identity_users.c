// User and group ids, with and without privileges; groups; what exec and fork keep.
#include "check.h"
#include <grp.h>
#include <sys/fsuid.h>
static void ids(const char *when) { uid_t r, e, s; gid_t gr, ge, gs; getresuid(&r, &e, &s); getresgid(&gr, &ge, &gs); SAY("%s: %d %d %d / %d %d %d", when, r, e, s, gr, ge, gs); }
static void run(void (*work)(void)) { fflush(stdout); if (fork() == 0) { work(); fflush(stdout); _exit(0); } wait(NULL); }
static void drop(void) { CALL(setgid(1000)); CALL(setuid(1000)); ids("dropped"); CALL(setuid(0)); CALL(seteuid(0)); CALL(setreuid(-1, 0)); CALL(setresuid(0, 0, 0)); CALL(setgid(0)); CALL(setgroups(0, NULL)); CALL(setuid(1000)); ids("still"); }
static void effective(void) { CALL(seteuid(1000)); ids("euid"); CALL(setuid(500)); CALL(seteuid(500)); CALL(seteuid(0)); ids("back"); CALL(setegid(100)); ids("egid"); CALL(setreuid(5, 6)); ids("reuid"); CALL(setreuid(6, 5)); ids("swapped"); CALL(setreuid(7, -1)); }
static void all(void) { CALL(setresuid(1, 2, 3)); ids("all"); CALL(setresuid(-1, 3, -1)); ids("some"); CALL(setresuid(2, 1, -1)); CALL(setresuid(4, -1, -1)); ids("end"); CALL(setresgid(1, 1, 1)); }
static void groups(void) { gid_t g[10] = {5, 6, 7}; CALL(setgroups(3, g)); CALL(getgroups(0, NULL)); CALL(getgroups(10, g)); SAY("%d %d %d", g[0], g[1], g[2]); CALL(getgroups(2, g)); CALL(getgroups(-1, g)); CALL(setgroups(70000, g)); CALL(setgroups(2, BAD)); CALL(initgroups("root", 0)); CALL(setuid(1000)); CALL(setgroups(1, g)); CALL(getgroups(10, g) >= 0); }
static void fs(void) { SHOW(setfsuid(1000)); SHOW(setfsuid(-1)); SHOW(setfsgid(100)); SHOW(setfsgid(-1)); put_file("mine", ""); struct stat st; stat("mine", &st); SAY("%d %d", st.st_uid, st.st_gid); CALL(seteuid(500)); SHOW(setfsuid(-1)); }
int main(int argc, char **argv) {
    if (argc > 1) { ids("after exec"); return 0; }
    chmod(".", 0777); ids("start"); SAY("%d %d %d %d", getuid(), geteuid(), getgid(), getegid()); run(drop); run(effective); run(all); run(groups); run(fs); CALL(syscall(SYS_getresuid, BAD, NULL, NULL)); CALL(setuid(-1)); CALL(setgid(-1)); CALL(seteuid(-1)); fflush(stdout); if (fork() == 0) { setresuid(1, 2, 3); setresgid(4, 5, 6); execl("/proc/self/exe", "x", "y", NULL); ids("failed"); fflush(stdout); _exit(1); } wait(NULL); ids("end"); return 0;
}
