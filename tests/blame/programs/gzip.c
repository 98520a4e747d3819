/*
 * gzip 1.2.4: the name of a file goes by strcpy into a global that is too short (GO). What lies behind it is a pointer
 * that is null anyway, then one that is used when the file has been compressed.
 *
 * gzip NAME < DATA
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PATH_LEN 64
#define WSIZE 1024
#define HASH_SIZE 256

char ifname[MAX_PATH_LEN];
char *comment;
char *z_suffix;
char ofname[3 * MAX_PATH_LEN];

static unsigned char window[WSIZE];
static unsigned char outbuf[2 * WSIZE];
static unsigned short head[HASH_SIZE];
static unsigned crc_table[256];
static unsigned insize, outcnt;
static unsigned long bytes_in, bytes_out;

static void make_crc_table(void) {
    for (unsigned n = 0; n < 256; n++) {
        unsigned c = n;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        crc_table[n] = c;
    }
}

static unsigned updcrc(const unsigned char *s, unsigned n) {
    unsigned c = 0xffffffffu;
    while (n-- > 0)
        c = crc_table[(c ^ *s++) & 0xff] ^ (c >> 8);
    return c ^ 0xffffffffu;
}

static int get_istat(const char *iname) {
    strcpy(ifname, iname);          // @error @corrupt
    return ifname[0] != '\0';
}

static int make_ofname(void) {
    size_t length = strlen(ifname);
    if (length > 2 * MAX_PATH_LEN)
        return 0;
    memcpy(ofname, ifname, length + 1);
    size_t suffix = strlen(z_suffix);   // @crash1
    if (suffix > 8)
        return 0;
    memcpy(ofname + length, z_suffix, suffix + 1);
    return 1;
}

static void put_byte(int c) {
    if (outcnt < sizeof outbuf)
        outbuf[outcnt++] = (unsigned char)c;
}

static void fill_window(void) {
    int c;
    while (insize < WSIZE && (c = getchar()) != EOF)
        window[insize++] = (unsigned char)c;
    bytes_in += insize;
}

static unsigned longest_match(unsigned at, unsigned before) {
    unsigned length = 0;
    while (at + length < insize && length < 255 && window[at + length] == window[before + length])
        length++;
    return length;
}

static void deflate(void) {
    unsigned at = 0;
    while (at < insize) {
        unsigned hash = at + 2 < insize ? (window[at] * 31u + window[at + 1] * 7u + window[at + 2]) % HASH_SIZE : 0;
        unsigned before = head[hash];
        unsigned length = before > 0 ? longest_match(at, before - 1) : 0;
        head[hash] = (unsigned short)(at + 1);
        if (length >= 3) {
            put_byte(0xff);
            put_byte((int)length);
            put_byte((int)(at - (before - 1)) & 0xff);
            at += length;
        } else {
            put_byte(window[at++]);
        }
    }
    bytes_out += outcnt;
}

int main(int argc, char **argv) {
    z_suffix = ".gz";
    if (argc < 2 || !get_istat(argv[1]))
        return 1;
    make_crc_table();
    fill_window();
    deflate();
    unsigned crc = updcrc(window, insize);
    if (!make_ofname())
        return 2;
    printf("%s: %lu to %lu, crc %08x\n", ofname, bytes_in, bytes_out, crc);
    if (comment != NULL)
        puts(comment);
    return 0;
}
