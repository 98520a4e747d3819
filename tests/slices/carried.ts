/** Programs in which values go through pipes, files and sockets; marks as in classics.ts. */
import type { Classic } from './classics.js';

export const HEADERS = `#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
`;

export const CARRIED: readonly Classic[] = [
  {
    name: 'a pipe to oneself',
    source: `
int main(void) {
    int ends[2];
    int a = 3; //+
    int b = 5;
    int x = 0;
    int y = 0;
    pipe(ends); //+
    write(ends[1], &b, sizeof b);
    write(ends[1], &a, sizeof a); //+
    read(ends[0], &y, sizeof y);
    read(ends[0], &x, sizeof x); //+
    return x; //?
}
`,
  },
  {
    name: 'a pipe from a child that is waited for',
    source: `
int main(void) {
    int ends[2];
    int base = 4; //+
    int heard = 0;
    pipe(ends); //+
    pid_t child = fork(); //+
    if (child == 0) { //+
        int other = 9;
        int told = base * 3; //+
        other += told;
        write(ends[1], &told, sizeof told); //+
        _exit(other);
    }
    read(ends[0], &heard, sizeof heard); //+
    waitpid(child, 0, 0);
    return heard; //?
}
`,
  },
  {
    name: 'a pipe to a child, and back',
    source: `
int main(void) {
    int down[2], up[2];
    int question = 6; //+
    int unused = 7;
    int answer = 0;
    pipe(down); //+
    pipe(up); //+
    if (fork() == 0) { //+
        int got[2];
        read(down[0], got, sizeof got); //+
        got[1] = got[1] * 2; //+
        got[0] = got[0] * 3;
        write(up[1], &got[0], sizeof got[0]);
        write(up[1], &got[1], sizeof got[1]); //+
        _exit(0);
    }
    write(down[1], &unused, sizeof unused);
    write(down[1], &question, sizeof question); //+
    read(up[0], &unused, sizeof unused);
    read(up[0], &answer, sizeof answer); //+
    wait(0);
    return answer; //?
}
`,
  },
  {
    name: 'a partial read over several writes',
    source: `
int main(void) {
    char one = 'a';
    char two = 'b'; //+
    char three = 'c'; //+
    char four = 'd';
    char text[4];
    int ends[2];
    pipe(ends); //+
    write(ends[1], &one, 1);
    write(ends[1], &two, 1); //+
    write(ends[1], &three, 1); //+
    write(ends[1], &four, 1);
    read(ends[0], text, 1);
    read(ends[0], text, 3); //+
    text[2] = 0;
    return text[0] + text[1]; //?
}
`,
  },
  {
    name: 'a file: written, sought and read, by two descriptors',
    source: `
int main(void) {
    char *path = "/tmp/culprit-carried-1"; //+
    int first = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600); //+
    int second = open(path, O_RDWR); //+
    int low = 1;
    int high = 2; //+
    int x = 0;
    write(first, &low, sizeof low);
    write(first, &high, sizeof high); //+
    pwrite(first, &low, sizeof low, 8);
    lseek(second, 4, SEEK_SET);
    read(second, &x, sizeof x); //+
    unlink(path);
    return x; //?
}
`,
  },
  {
    name: 'what is appended is at the end, and what is overwritten is gone',
    source: `
int main(void) {
    char *path = "/tmp/culprit-carried-2"; //+
    int plain = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600); //+
    int end = open(path, O_WRONLY | O_APPEND); //+
    char a = 'a';
    char b = 'b'; //+
    char c = 'c'; //+
    char text[2];
    write(plain, &a, 1);
    write(end, &b, 1); //+
    pwrite(plain, &c, 1, 0); //+
    pread(plain, text, 2, 0); //+
    unlink(path);
    return text[0] + text[1]; //?
}
`,
  },
  {
    name: 'a file that was cut',
    source: `
int main(void) {
    char *path = "/tmp/culprit-carried-3"; //+
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600); //+
    int lost = 5;
    int x = 1;
    write(fd, &lost, sizeof lost);
    ftruncate(fd, 0);
    ftruncate(fd, 4);
    pread(fd, &x, sizeof x, 0); //+
    unlink(path);
    return x; //?
}
`,
  },
  {
    name: 'a pair of sockets, both ways, and a descriptor that was copied',
    source: `
int main(void) {
    int pair[2];
    int to = 3; //+
    int back = 4;
    int x = 0;
    int y = 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair); //+
    int copy = dup(pair[0]); //+
    send(pair[1], &back, sizeof back, 0);
    write(copy, &to, sizeof to); //+
    recv(pair[1], &x, sizeof x, 0); //+
    recv(pair[0], &y, sizeof y, 0);
    return x; //?
}
`,
  },
  {
    name: 'buffers that lie in pieces',
    source: `
int main(void) {
    int ends[2];
    char a[3] = "ab"; //+
    char b[3] = "cd";
    char x[2], y[2];
    struct iovec out[2] = { { a, 2 }, { b, 2 } }; //+
    struct iovec in[2] = { { y, 1 }, { x, 2 } }; //+
    pipe(ends); //+
    writev(ends[1], out, 2); //+
    readv(ends[0], in, 2); //+
    return x[0]; //!
}
`,
    things: ['x[0]'],
  },
  {
    name: 'messages',
    source: `
int main(void) {
    int pair[2];
    int a = 1;
    int b = 2; //+
    int got[2];
    struct iovec out[2] = { { &a, 4 }, { &b, 4 } }; //+
    struct iovec in = { got, sizeof got }; //+
    struct msghdr sent = { .msg_iov = out, .msg_iovlen = 2 }; //+
    struct msghdr received = { .msg_iov = &in, .msg_iovlen = 1 }; //+
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair); //+
    sendmsg(pair[1], &sent, 0); //+
    recvmsg(pair[0], &received, 0); //+
    return got[1]; //?
}
`,
  },
  {
    name: 'buffers of streams',
    source: `
int main(void) {
    int a = 5; //+
    int b = 6; //+
    int c = 7;
    FILE *file = tmpfile(); //+
    int x = 0;
    fwrite(&b, sizeof b, 1, file); //+
    fwrite(&a, sizeof a, 1, file); //+
    fwrite(&c, sizeof c, 1, file); //+
    rewind(file); //+
    fread(&b, sizeof b, 1, file); //+
    fread(&x, sizeof x, 1, file); //+
    return x; //?
}
`,
  },
  {
    name: 'from one file to another without memory',
    source: `
int main(void) {
    char *path = "/tmp/culprit-carried-3"; //+
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600); //+
    int ends[2];
    int a = 5;
    int b = 6; //+
    off_t from = 4; //+
    int x = 0;
    pipe(ends); //+
    write(fd, &a, sizeof a);
    write(fd, &b, sizeof b); //+
    sendfile(ends[1], fd, &from, 4); //+
    read(ends[0], &x, sizeof x); //+
    unlink(path);
    return x; //?
}
`,
  },
  {
    name: 'a connection of this machine with itself',
    source: `
int main(void) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0); //+
    bind(listener, (struct sockaddr *)&address, sizeof address);
    listen(listener, 1);
    getsockname(listener, (struct sockaddr *)&address, &size);
    int client = socket(AF_INET, SOCK_STREAM, 0); //+
    connect(client, (struct sockaddr *)&address, sizeof address);
    int server = accept(listener, 0, 0); //+
    int a = 8;
    int b = 9; //+
    int x = 0;
    send(client, &a, sizeof a, 0);
    write(client, &b, sizeof b); //+
    recv(server, &a, sizeof a, 0);
    read(server, &x, sizeof x); //+
    return x; //?
}
`,
  },
  {
    name: 'memory that is shared with a child',
    source: `
int main(void) {
    int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); //+
    int own = 2;
    int factor = 3; //+
    shared[1] = 7; //+
    shared[2] = 8;
    pid_t child = fork(); //+
    if (child == 0) { //+
        own = 5;
        shared[0] = shared[1] * factor; //+
        shared[1] = own;
        _exit(0);
    }
    waitpid(child, 0, 0);
    own += shared[1];
    return shared[0]; //?
}
`,
  },
  {
    name: 'a file that is memory: stored, and read',
    source: `
int main(void) {
    int fd = memfd_create("kept", 0); //+
    int a = 4;
    int b = 6; //+
    int x = 0;
    ftruncate(fd, 4096);
    int *seen = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); //+
    seen[0] = a;
    seen[1] = b; //+
    pread(fd, &x, sizeof x, 4); //+
    return x; //?
}
`,
  },
  {
    name: 'a file that is memory: written, and loaded',
    source: `
int main(void) {
    int fd = memfd_create("kept", 0); //+
    int a = 4;
    int b = 6; //+
    ftruncate(fd, 4096);
    int *seen = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0); //+
    pwrite(fd, &a, sizeof a, 0);
    pwrite(fd, &b, sizeof b, 4); //+
    return seen[1]; //?
}
`,
  },
  {
    name: 'a private view of a file that was written before',
    source: `
int main(void) {
    char *path = "/tmp/culprit-carried-4"; //+
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600); //+
    int a = 4;
    int b = 6; //+
    write(fd, &a, sizeof a);
    write(fd, &b, sizeof b); //+
    int *seen = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0); //+
    unlink(path);
    seen[0] = 9;
    return seen[1]; //?
}
`,
  },
  {
    name: 'what comes from outside',
    source: `
int main(void) {
    char first = 0;
    char *path = "/etc/passwd"; //+
    int fd = open(path, O_RDONLY); //+
    read(fd, &first, 1); //+
    return first; //?
}
`,
  },
];
