/*
 * xv 3.10a: a bitmap says how many colours it has, and nothing compares that with the size of the local tables (SO).
 *
 * xv < BITMAP: 'W' or 'O', bits, number of colours (0: as many as the bits say), width, height, colours, pixels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLOURS 16
#define MOST_PIXELS 4096

static unsigned char pixels[MOST_PIXELS];
static unsigned histogram[256];
static int width, height;

static int byte(void) {
    int c = getchar();
    return c == EOF ? 0 : c;
}

static void load_pixels(int bits) {
    int n = width * height < MOST_PIXELS ? width * height : MOST_PIXELS;
    for (int i = 0; i < n; i++)
        pixels[i] = (unsigned char)(byte() & ((1 << bits) - 1));
    for (int i = 0; i < n; i++)
        histogram[pixels[i]]++;
}

static unsigned smooth(void) {
    unsigned all = 0;
    for (int y = 1; y + 1 < height; y++)
        for (int x = 1; x + 1 < width; x++) {
            int at = y * width + x;
            if (at + width + 1 >= MOST_PIXELS)
                continue;
            unsigned sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += pixels[at + dy * width + dx];
            all = all * 31 + sum / 9;
        }
    return all;
}

static unsigned LoadBMP(void) {
    unsigned *counts[2];
    long reserved[2];
    unsigned char map[COLOURS];
    int i, cmaplen;
    counts[0] = histogram;
    counts[1] = histogram + 128;
    reserved[0] = 0;
    reserved[1] = 0;
    int kind = byte();
    int bits = byte();
    int biClrUsed = byte();
    width = byte();
    height = byte();
    if (bits < 1 || bits > 4)
        return 0;
    cmaplen = biClrUsed != 0 ? biClrUsed : 1 << bits;   // @error
    if (kind == 'W') {
        for (i = 0; i < cmaplen; i++) {
            map[i] = (unsigned char)byte();             // @windows
            byte();
        }
    } else {
        for (i = 0; i < cmaplen; i++)
            map[i] = (unsigned char)byte();             // @os2
    }
    load_pixels(bits);
    unsigned all = smooth();
    for (int p = 0; p < 1 << bits; p++)
        all = all * 31 + counts[p >> 7][p] * map[p];            // @crash1
    return all + (reserved[1] != 0);
}

int main(void) {
    unsigned all = LoadBMP();
    printf("%d x %d: %u\n", width, height, all);
    return 0;
}
