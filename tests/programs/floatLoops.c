// Arithmetic in loops that become hot: matrices, integration, FFT, floats, conversions, NaNs and denormals.
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#define N 40
static double a[N][N], b[N][N], c[N][N];
static void fft(double complex *x, int n) {
    if (n == 1) return;
    double complex even[n / 2], odd[n / 2];
    for (int i = 0; i < n / 2; i++) { even[i] = x[2 * i]; odd[i] = x[2 * i + 1]; }
    fft(even, n / 2); fft(odd, n / 2);
    for (int i = 0; i < n / 2; i++) { double complex t = cexp(-2 * I * 3.14159265358979323846 * i / n) * odd[i]; x[i] = even[i] + t; x[i + n / 2] = even[i] - t; }
}
int main(void) {
    for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) { a[i][k] = i * 0.5 + k; b[i][k] = 1.0 / (i + k + 1); }
    for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) { double s = 0; for (int j = 0; j < N; j++) s += a[i][j] * b[j][k]; c[i][k] = s; }
    printf("%a %a %a\n", c[0][0], c[17][23], c[N - 1][N - 1]);
    double x = 0.5, area = 0; for (int i = 0; i < 20000; i++) { double t = i / 20000.0; area += sqrt(1 - t * t) / 20000; x = 3.7 * x * (1 - x); } printf("%a %a\n", area * 4, x);
    double complex data[64]; for (int i = 0; i < 64; i++) data[i] = sin(i * 0.3) + I * (i % 5); fft(data, 64); double norm = 0; for (int i = 0; i < 64; i++) norm += cabs(data[i]); printf("%.15g %.15g\n", norm, creal(data[7]));
    float f = 0; uint64_t h = 0; for (int i = 1; i < 20000; i++) { f += 1.0f / (float)i; f = f > 5 ? f - 4.9f : f; h = h * 31 + (uint64_t)(f * 1000); h ^= (uint64_t)(int64_t)(int)(x * i) + (uint64_t)(x * 1e18 + i); } printf("%a %llx\n", (double)f, (unsigned long long)h);
    double nan = 0, count = 0, tiny = 1e-300; volatile double zero = 0; nan = zero / zero; for (int i = 0; i < 2000; i++) { double y = i % 3 ? i : nan; count += (y < 5) + 2 * (y >= 5) + 4 * (y == y) + 8 * (y != 7) + 16 * !(y > 3) + isnan(y); tiny *= 0.99; if (i % 100 == 0) tiny *= 1e-1; } printf("%g %a\n", count, tiny);
    long double l = 1; for (int i = 1; i < 3000; i++) l = l * 1.0001L + 1.0L / i - (long double)x; printf("%.20Lg %a\n", l, (double)l);
    double m = -1e9; for (int i = 0; i < 3000; i++) { double v = cos(i) * i; m = fmax(m, v); m = v > m ? v : m; x = fabs(-v) < 1 ? -v : copysign(x, v); } printf("%a %a\n", m, x);
    return 0;
}
