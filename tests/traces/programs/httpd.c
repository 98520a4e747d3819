/*
 * A very small HTTP server with a bug: the request line is received into a short buffer on the stack, with the length that the client
 * says. "httpd N" answers N requests and ends. It tells where its standard output's structure is, as servers do that log too much: so a client
 * knows where the C library lies, and can have the server call what it likes there.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int served;
char last_path[128];

static int parse_length(const char *digits) { return atoi(digits); }

__attribute__((noinline)) static int read_request(int client) {
    char digits[8] = "", line[64];
    if (recv(client, digits, 4, MSG_WAITALL) != 4) return -1;
    int length = parse_length(digits);
    int got = recv(client, line, length, MSG_WAITALL);      /* MARK: overflow */
    if (got < 4 || memcmp(line, "GET ", 4) != 0) return -1;
    memcpy(last_path, line + 4, got - 4);
    last_path[got - 4] = 0;
    return got;
}

/* Something that takes longer than the rest. */
static unsigned checksum(void) {
    unsigned sum = 0;
    for (int i = 0; i < 20000; i++) sum = sum * 31 + last_path[i % 64];
    return sum;
}

static void answer(int client) {
    char text[128];
    send(client, text, sprintf(text, "HTTP/1.0 200 OK\r\nETag: %u\r\n\r\nhello\n", checksum()), 0);
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
    printf("httpd running on port %d, output %p\n", ntohs(address.sin_port), (void *) stdout);
    fflush(stdout);
    for (int i = 0; i < atoi(argv[1]); i++) serve(accept(listener, 0, 0));
    printf("served %d\n", served);
    return 0;
}
