// SHA-256, MD5-like mixing, CRC-32, base64 and LZ-like search: integer loops with rotates and tables.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint32_t k[64], h[8];
static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }
static void constants(void) {   // fractional parts of cube and square roots of primes, by integer search
    int n = 0;
    for (unsigned p = 2; n < 64; p++) {
        int prime = 1; for (unsigned d = 2; d * d <= p; d++) if (p % d == 0) prime = 0;
        if (!prime) continue;
        unsigned __int128 lo = 0, hi = (unsigned __int128)1 << 40; while (hi - lo > 1) { unsigned __int128 m = (lo + hi) / 2; if (m * m * m <= (unsigned __int128)p << 96) lo = m; else hi = m; }
        k[n] = (uint32_t)lo; if (n < 8) { lo = 0; hi = (unsigned __int128)1 << 40; while (hi - lo > 1) { unsigned __int128 m = (lo + hi) / 2; if (m * m <= (unsigned __int128)p << 64) lo = m; else hi = m; } h[n] = (uint32_t)lo; }
        n++;
    }
}
static void block(const unsigned char *p) {
    uint32_t w[64], s[8]; memcpy(s, h, sizeof s);
    for (int i = 0; i < 16; i++) w[i] = (uint32_t)p[4 * i] << 24 | p[4 * i + 1] << 16 | p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) + (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 64; i++) {
        uint32_t t = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i], u = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 28); s[4] += t; s[0] = t + u;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
}
int main(void) {
    static unsigned char data[20032]; for (int i = 0; i < 20000; i++) data[i] = (unsigned char)(i * i >> 3);
    constants(); for (int i = 0; i < 20000 / 64; i++) block(data + 64 * i); for (int i = 0; i < 8; i++) printf("%08x", h[i]); puts("");
    uint32_t crc = ~0u, table[256]; for (uint32_t i = 0; i < 256; i++) { uint32_t c = i; for (int j = 0; j < 8; j++) c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1; table[i] = c; } for (int i = 0; i < 20000; i++) crc = table[(crc ^ data[i]) & 255] ^ crc >> 8; printf("%08x\n", ~crc);
    long matches = 0; for (int i = 300; i < 2000; i++) { int best = 0; for (int o = 1; o < 256; o += 5) { int n = 0; while (n < 20 && data[i + n] == data[i + n - o]) n++; if (n > best) best = n; } matches = matches * 3 % 1000003 + best; } printf("%ld\n", matches);
    for (int i = 0; i < 48; i += 3) { uint32_t v = data[i] << 16 | data[i + 1] << 8 | data[i + 2]; for (int s = 18; s >= 0; s -= 6) putchar("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[v >> s & 63]); } puts("");
    return 0;
}
