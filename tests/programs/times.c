// Calendar arithmetic and formatting, with time zones; clocks move forward.
#define _GNU_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
int main(void) {
    setlocale(LC_ALL, "C");
    char text[200];
    const time_t moments[] = {0, 1, 951782400, 1709210096, 2147483647, 4102444800, -1, -2208988800};
    const char *zones[] = {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "EST5EDT,M3.2.0,M11.1.0", "<+0330>-3:30"};
    for (int z = 0; z < 6; z++) {
        setenv("TZ", zones[z], 1); tzset();
        for (int i = 0; i < 8; i++) {
            struct tm tm; localtime_r(&moments[i], &tm);
            strftime(text, sizeof text, "%a %A %b %d %F %T %j %U %V %G %y %e %I %p %z %Z", &tm);
            printf("%s dst %d back %d\n", text, tm.tm_isdst, mktime(&tm) == moments[i]);
        }
    }
    setenv("TZ", "UTC", 1); tzset();
    struct tm tm = {.tm_year = 124, .tm_mon = 13, .tm_mday = -5, .tm_hour = 30, .tm_min = -90, .tm_sec = 3700};
    time_t made = timegm(&tm); printf("%lld %s", (long long)made, asctime(&tm));
    struct tm parsed = {0}; char *rest = strptime("2024-02-29 23:59:58 tail", "%Y-%m-%d %H:%M:%S", &parsed);
    printf("%d %d %d [%s] %.0f\n", parsed.tm_yday, parsed.tm_wday, parsed.tm_sec, rest, difftime(100, 40));
    struct timespec a, b, resolution; struct timeval tv; clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW};
    for (int i = 0; i < 5; i++) {
        int first = clock_gettime(clocks[i], &a), second = clock_gettime(clocks[i], &b);
        printf("%d %d forward %d\n", first, second, b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
    }
    struct timespec nap = {0, 20000000}; clock_gettime(CLOCK_MONOTONIC, &a); nanosleep(&nap, NULL); clock_gettime(CLOCK_MONOTONIC, &b);
    long passed = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
    printf("slept %d\n", passed >= 20000000); gettimeofday(&tv, NULL); time_t now = time(NULL); printf("%d %d %d\n", labs(now - tv.tv_sec) < 2, now > 1700000000, clock() >= 0);
    clock_getres(CLOCK_MONOTONIC, &resolution); printf("%ld\n", (long)resolution.tv_nsec);
    return 0;
}
