/* Sends itself two signals that it handles, and one that ends it. */
#include <signal.h>

int seen;

static void handle(int number) { seen += number; }

int main(void) {
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    raise(SIGUSR1);
    raise(SIGTERM);
    return 0;
}
