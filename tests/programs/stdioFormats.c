// printf and scanf with every kind of conversion.
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
int main(void) {
    setlocale(LC_ALL, "");
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%i]\n", 42, 42, 42, 42, 42, 42, -42);
    printf("[%u] [%o] [%#o] [%x] [%#X] [%hhd] [%hd] [%ld] [%lld] [%zu] [%jd]\n", UINT_MAX, 8, 8, 255, 255, (signed char)300, (short)70000, LONG_MIN, LLONG_MAX, (size_t)-1, INTMAX_MIN);
    printf("[%s] [%10s] [%-10s] [%.2s] [%c] [%%] [%*.*f]\n", "str", "right", "left", "truncated", 'c', 10, 3, 3.14159265);
    const double values[] = {0, -0.0, 1, 0.1, 1.5, 2.5, 1e-5, 123456789, 1e15, 1e16, 1e21, 5e-324, 1.7976931348623157e308, 1 / 3.0, 0.5, 9.995, 1e100};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        printf("%f %e %g %G %a %.0f %.3g %.17g %#.0e %+.1f\n", values[i], values[i], values[i], values[i], values[i], values[i], values[i], values[i], values[i], values[i]);
    printf("%f %F %e %g\n", 1 / 0.0 * 1.0, -1e308 * 10, 0.0 / 1, -0.0);
    int a, n; unsigned b; long c; double d; float f; char word[20], set[20], ch;
    int got = sscanf("  42 0x1f -7 3.25e2 1.5 hello abc123;X", "%d %x %ld %lf %f %19s %19[a-c]%n", &a, &b, &c, &d, &f, word, set, &n);
    printf("%d: %d %u %ld %g %g %s %s %d\n", got, a, b, c, d, f, word, set, n);
    printf("%d %d\n", sscanf("x=5,y", "x=%d,%c%d", &a, &ch, &n), sscanf("", "%d", &a));
    char small[8]; printf("%d %s\n", snprintf(small, sizeof small, "%d bottles", 99), small);
    printf("%ls %lc\n", L"w\u00eede", (wint_t)0x20ac);
    FILE *t = tmpfile(); char line[64];
    for (int i = 0; i < 1000; i++) fprintf(t, "line %d of %s\n", i, "many");
    fseek(t, -40, SEEK_END); while (fgets(line, sizeof line, t)) fputs(line, stdout);
    rewind(t); ungetc('X', t); printf("%c %ld %d\n", fgetc(t), ftell(t), feof(t));
    setvbuf(t, NULL, _IONBF, 0); printf("%zu\n", fread(line, 1, 10, t)); fclose(t);
    t = fmemopen(line, sizeof line, "w+"); fprintf(t, "in memory %d", 7); fflush(t); printf("%s\n", line); fclose(t);
    printf("%" PRId64 " %" PRIx32 "\n", INT64_C(1) << 40, UINT32_C(0xdeadbeef));
    perror("perror"); fprintf(stderr, "to stderr %d\n", 1);
    return printf("%s", "") + ferror(stdout);
}
