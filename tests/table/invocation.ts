/** What the table is made of: one run of a program, as data. */

/** A regular file's content, or what else the path is. */
export type FileContent =
  | string
  | Uint8Array
  | { readonly linkTo: string }
  | { readonly directory: true }
  | { readonly bytes: string | Uint8Array; readonly mode: number };

export interface Invocation {
  /** Unique in its group. */
  readonly name: string;
  /** The program (looked up in PATH) and its arguments. */
  readonly argv: readonly string[];
  /** Comes through a pipe; none: /dev/null. */
  readonly stdin?: string | Uint8Array;
  /** Files in the directory it runs in, by relative path. */
  readonly files?: Readonly<Record<string, FileContent>>;
  /** In addition to ENVIRONMENT. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Removes what legitimately differs (a process id, an address) from both outputs. */
  readonly normalise?: (output: string) => string;
  /** Only with CULPRIT_LONG=1. */
  readonly long?: boolean;
}

/** Table rows are mostly a command line; this keeps them to one line each. */
export function row(name: string, argv: readonly string[], more: Omit<Invocation, 'name' | 'argv'> = {}): Invocation {
  return { name, argv, ...more };
}

/**
 * What every program sees. libm has variants of its functions for CPUs with fused multiply-add, and
 * they round differently; our CPU has none, so the native run must do without as well.
 */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  // Tests share what culprit keeps of programs' code (vitest.config.ts); the native runs have the same environment.
  CULPRIT_CODE_CACHE: process.env['CULPRIT_CODE_CACHE'] ?? 'off',
  GLIBC_TUNABLES: 'glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4,-AVX512F',
};
