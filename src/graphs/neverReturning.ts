/**
 * Functions that never return to their caller, by the names of their symbols: those of the C and C++ libraries, of the
 * unwinder, and of Rust's.
 */
const NAMES: ReadonlySet<string> = new Set([
  // C
  'exit', '_exit', '_Exit', 'quick_exit', 'abort', '__assert_fail', '__assert_perror_fail', '__assert', '__assert_rtn', '__GI_exit', '__GI__exit', '__GI_abort', '__GI___assert_fail',
  'longjmp', '_longjmp', 'siglongjmp', '__longjmp', '__longjmp_chk', '____longjmp_chk', '__libc_longjmp', '__libc_siglongjmp', '__GI___libc_siglongjmp',
  '__stack_chk_fail', '__stack_chk_fail_local', '__fortify_fail', '__chk_fail', '__libc_fatal', '__GI___stack_chk_fail', '__GI___fortify_fail', '__GI___chk_fail', '__GI___libc_fatal',
  'pthread_exit', '__pthread_exit', 'thrd_exit', '__pthread_unwind', '__pthread_unwind_next', '__GI___pthread_unwind',
  '__libc_start_main', '__libc_start_call_main', '__libc_dynarray_at_failure', '_dl_signal_error', '_dl_fatal_printf', '__fdelt_warn', '__fdelt_chk_fail', 'malloc_printerr', '__malloc_assert',
  // C++
  '__cxa_throw', '__cxa_rethrow', '__cxa_bad_cast', '__cxa_bad_typeid', '__cxa_throw_bad_array_length', '__cxa_throw_bad_array_new_length', '__cxa_pure_virtual', '__cxa_deleted_virtual',
  '__cxa_call_unexpected', '__cxa_call_terminate', '__clang_call_terminate', '_ZSt9terminatev', '_ZSt10unexpectedv', '_ZN10__cxxabiv111__terminateEPFvvE', '_ZN10__cxxabiv112__unexpectedEPFvvE',
  '_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE', '_ZSt21__glibcxx_assert_failPKciS0_S0_', '_Unwind_Resume',
  // Rust
  'rust_panic', 'rust_begin_unwind', '__rust_start_panic', 'rust_oom', '__rust_alloc_error_handler',
]);
const PATTERNS: readonly RegExp[] = [
  /^_ZSt\d+__throw_/, /^_ZN4core9panicking/, /^_ZN3std9panicking(11begin_panic|20rust_panic_with_hook)/, /^_ZN4core6option1[34](unwrap|expect)_failed/,
  /^_ZN4core6result13unwrap_failed/, /^_ZN4core5slice5index\d+slice_(start|end|index)\w*_fail/, /^_ZN5alloc5alloc18handle_alloc_error/, /^_ZN5alloc7raw_vec17capacity_overflow/,
];

/** Names that programs have for functions of their own, which may return: they count only where a library is called. */
const COMMON_NAMES: ReadonlySet<string> = new Set(['err', 'errx', 'verr', 'verrx']);

/** `isStub`: the call goes to another file. */
export function neverReturnsByName(name: string, isStub: boolean): boolean {
  return NAMES.has(name) || PATTERNS.some((pattern) => pattern.test(name)) || (isStub && COMMON_NAMES.has(name));
}
