/**
 * Names that stand for nothing of a program's own, wherever they stand: C's words, macros of its library, and functions
 * that compilers replace by code, so that no symbol tells of them.
 */
const LISTS = [
  'auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while',
  '_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local alignas alignof bool false true static_assert thread_local typeof nullptr',
  '__attribute__ __attribute __asm__ asm __volatile__ __inline __inline__ __const __restrict __restrict__ __extension__ __typeof__ __typeof __signed__ __thread __label__ __int128 __auto_type',
  '__func__ __FUNCTION__ __PRETTY_FUNCTION__ __LINE__ __FILE__ __DATE__ __TIME__ __COUNTER__ __VA_ARGS__ defined',
  'NULL EOF BUFSIZ stdin stdout stderr errno assert offsetof va_start va_end va_arg va_copy va_list size_t ssize_t ptrdiff_t wchar_t FILE SEEK_SET SEEK_CUR SEEK_END EXIT_SUCCESS EXIT_FAILURE RAND_MAX PATH_MAX',
  'CHAR_BIT CHAR_MIN CHAR_MAX SCHAR_MIN SCHAR_MAX UCHAR_MAX SHRT_MIN SHRT_MAX USHRT_MAX INT_MIN INT_MAX UINT_MAX LONG_MIN LONG_MAX ULONG_MAX LLONG_MIN LLONG_MAX ULLONG_MAX SIZE_MAX',
  'int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t INT8_MAX INT16_MAX INT32_MAX INT64_MAX UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX',
  'O_RDONLY O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND STDIN_FILENO STDOUT_FILENO STDERR_FILENO',
  'printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts fputs putchar fputc putc fwrite scanf fscanf sscanf',
  'strlen strcmp strncmp strcasecmp strncasecmp strchr strrchr strstr strpbrk strspn strcspn strcpy strncpy stpcpy strcat strncat strdup strndup index rindex',
  'memcpy memmove memset memcmp memchr mempcpy bcopy bzero bcmp malloc calloc realloc free alloca abort exit',
  'abs labs llabs fabs floor ceil round trunc sqrt pow exp log sin cos tan fmin fmax isalpha isdigit isalnum isspace isupper islower isprint ispunct isxdigit toupper tolower',
];
const NAMES: ReadonlySet<string> = new Set(LISTS.flatMap((list) => list.split(' ')));

export function isNameOfC(name: string): boolean {
  return NAMES.has(name) || name.startsWith('__builtin_');
}
