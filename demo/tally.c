/*
 * Counts votes, and crashes, for `culprit record` and `culprit debug`: what it crashes on was broken long before, by a loop that goes
 * one too far.
 *
 * Built in the folder above with:  gcc -g -O0 -ffile-prefix-map=$PWD=. -Wl,--build-id=none -o demo/tally demo/tally.c
 */
#include <stdio.h>

struct tally {
    long votes[4];
    const char *title;
};

static struct tally tally = {.title = "Best debugger"};

static void clear_votes(void)
{
    for (int i = 0; i <= 4; i++)
        tally.votes[i] = 0;
}

static void count_votes(const int *ballots, int length)
{
    for (int i = 0; i < length; i++)
        tally.votes[ballots[i]]++;
}

static void print_heading(const char *title)
{
    int width = 0;
    while (title[width] != '\0')
        width++;
    printf("%s (%d letters)\n", title, width);
}

int main(void)
{
    static const int ballots[] = {0, 3, 1, 3, 2, 3};
    clear_votes();
    count_votes(ballots, 6);
    print_heading(tally.title);
    for (int i = 0; i < 4; i++)
        printf("%d: %ld\n", i, tally.votes[i]);
    return 0;
}
