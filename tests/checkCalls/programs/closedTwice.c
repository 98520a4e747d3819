/* Streams and descriptors that are closed once each time they are opened, and then twice: the worked example of docs/rules.md. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void once(void)
{
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen("/dev/null", "r");
        fclose(f);
        int fd = open("/dev/null", O_RDONLY);
        close(fd);
        int ends[2];
        pipe(ends);
        close(ends[0]);
        close(ends[1]);
        f = fopen("/dev/null", "r");
        close(dup(fileno(f)));
        fclose(f);
    }
}

int main(void)
{
    once();
    int fd = dup(1);
    close(fd);
    close(fd); // MARK: descriptor
    FILE *f = fopen("/dev/null", "r");
    fclose(f);
    fclose(f); // MARK: stream
    return 0;
}
