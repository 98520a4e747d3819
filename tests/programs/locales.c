// Wide and multibyte characters, classification, collation, regular expressions, iconv-free UTF-8.
#include <langinfo.h>
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>
int main(void) {
    printf("%d\n", setlocale(LC_ALL, "C.UTF-8") != NULL); const char *text = "aé漢😀\xff"; mbstate_t state = {0}; wchar_t wide[20]; char back[40];
    for (const char *p = text; *p;) { wchar_t c; size_t n = mbrtowc(&c, p, 6, &state); if ((long)n < 0) { printf("bad\n"); break; } printf("%zu %x %d %d%d%d%d %x\n", n, (unsigned)c, wcwidth(c) > 0, !!iswalpha(c), !!iswupper(c), !!iswpunct(c), !!iswprint(c), (unsigned)towupper(c)); p += n; }
    size_t n = mbstowcs(wide, "größe", 20); printf("%zu %zu", n, wcslen(wide)); for (size_t i = 0; i < n; i++) wide[i] = towupper(wide[i]); printf(" %zu %s\n", wcstombs(back, wide, 40), back);
    swprintf(wide, 20, L"%ls-%d-%5.2f", L"wid", 42, 3.14159); printf("%ls %ld %g %d\n", wide, wcstol(L"0x1f", NULL, 0), wcstod(L"2.5e3", NULL), wcscmp(L"abc", L"abd") < 0);
    printf("%s %s %s %s\n", nl_langinfo(CODESET), nl_langinfo(RADIXCHAR), nl_langinfo(DAY_3), nl_langinfo(MON_12)); struct lconv *l = localeconv(); printf("[%s] [%s]\n", l->decimal_point, l->thousands_sep); printf("%d %zu\n", strcoll("a", "b") < 0, strxfrm(back, "abc", 40) > 0 ? (size_t)1 : 0);
    regex_t re; regmatch_t m[4]; const char *patterns[] = {"^([a-z]+)-([0-9]{2,4})$", "(a|ab)(c|bcd)(d*)", "x*", "[[:upper:]][[:alnum:]_]*", "\\.[^.]+$", "(("}; const char *subjects[] = {"abc-123", "abcd", "xxabc", "foo Bar_9", "file.tar.gz", ""};
    for (int i = 0; i < 6; i++) { int r = regcomp(&re, patterns[i], REG_EXTENDED); if (r) { printf("error %d\n", r != 0); continue; } for (int k = 0; k < 6; k++) { if (regexec(&re, subjects[k], 4, m, 0)) printf("- "); else printf("%d,%d:%d,%d ", (int)m[0].rm_so, (int)m[0].rm_eo, re.re_nsub ? (int)m[1].rm_so : 0, re.re_nsub > 1 ? (int)m[2].rm_eo : 0); } puts(""); regfree(&re); }
    return 0;
}
