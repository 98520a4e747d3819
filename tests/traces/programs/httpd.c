/*
 * A very small HTTP server with a bug: the header line is received into a short buffer on the stack, with the length that the client
 * says. "httpd N" answers N requests and ends. One that is long enough makes it call what the client wants.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int served;

/* What an attacker would rather find in libc, at an address that a test cannot know. */
void say_and_leave(void) {
    puts("Now I pwn your computer");
    fflush(stdout);
    _exit(3);
}

static int parse_length(const char *digits) { return atoi(digits); }

__attribute__((noinline)) static int read_request(int client) {
    char digits[8] = "", line[64];
    if (recv(client, digits, 4, MSG_WAITALL) != 4) return -1;
    int length = parse_length(digits);
    int got = recv(client, line, length, MSG_WAITALL);      /* MARK: overflow */
    return got < 0 || line[0] != 'G' ? -1 : got;
}

static void answer(int client) {
    static const char text[] = "HTTP/1.0 200 OK\r\n\r\nhello\n";
    send(client, text, sizeof text - 1, 0);
}

static void serve(int client) {
    if (read_request(client) >= 0) answer(client);
    close(client);
    served++;
}

int main(int argc, char **argv) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *) &address, size);
    listen(listener, 5);
    getsockname(listener, (struct sockaddr *) &address, &size);
    printf("httpd running on port %d %p\n", ntohs(address.sin_port), (void *) say_and_leave);
    fflush(stdout);
    for (int i = 0; i < atoi(argv[1]); i++) serve(accept(listener, 0, 0));
    printf("served %d\n", served);
    return 0;
}
