/*
 * Tries to get out of the sandbox, row by row: escapes GROUP CANARIES PID TERMINAL PORT KEY. Prints a line for each row: what came of it, and
 * whether that is as it should be. Whether something has changed outside, who started it looks himself. Natively it would do harm:
 * where other processes can be seen it does not begin.
 */
#include "escapes.h"
#include <signal.h>

const char *canaries, *outside_terminal;
int outside_pid, outside_port, outside_key;

static const struct { const char *name; const struct row *rows; } groups[] = {
    {"files", file_rows}, {"streams", stream_rows}, {"terminals", terminal_rows}, {"processes", process_rows}, {"system", system_rows}, {"memory", memory_rows},
};

static int is_expected(const struct row *row, long result)
{
    for (int i = 0; i < 4; i++)
        if (row->expected[i] != 0 && row->expected[i] == result) return 1;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 7) return 2;
#ifndef WITHOUT_SANDBOX
    if (access("/proc/1", F_OK) == 0) return 3;
#endif
    canaries = argv[2];
    outside_pid = atoi(argv[3]);
    outside_terminal = argv[4];
    outside_port = atoi(argv[5]);
    outside_key = atoi(argv[6]);
    signal(SIGPIPE, SIG_IGN);
    for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (strcmp(groups[i].name, argv[1]) != 0) continue;
        for (const struct row *row = groups[i].rows; row->name != 0; row++) {
            long result = row->act();
            const char *what = result == DONE ? "done" : result == WRONG ? "wrong" : result < 0 ? strerrorname_np(-result) : "success";
            printf("%s\t%s\t%s\n", row->name, what, is_expected(row, result) ? "as expected" : "NOT AS EXPECTED");
            fflush(stdout);
        }
    }
    return 0;
}
