/** What gdb sees of calls in a native run, at the same addresses: the truth that stops are compared with. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('truth.py', import.meta.url));

export interface NativeCall {
  readonly function: string;
  readonly returns: bigint;
  readonly args: readonly bigint[];
  readonly stack: readonly bigint[];
  readonly xmm: number;
  /** Undefined if it did not return. */
  readonly result: bigint | undefined;
  /** Of copies: bytes. */
  readonly length: bigint;
}

interface WrittenCall {
  readonly function: string;
  readonly returns: string;
  readonly args: readonly string[];
  readonly stack: readonly string[];
  readonly xmm: string;
  readonly rax: string | null;
  readonly length?: number;
}

/**
 * Of functions that a resolver chooses the names begin with `@`: natively it may be another one than ours. Undefined:
 * this gdb cannot do that on this CPU, which is said.
 */
export function nativeCalls(path: string, functions: readonly string[]): NativeCall[] | undefined {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/', FUNCTIONS: JSON.stringify(functions) };
  const text = execFileSync('gdb', ['-nx', '-q', '-batch', '-x', SCRIPT, '--args', path], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  const trouble = /^TROUBLE:(.*)$/m.exec(text)?.[1];
  if (trouble !== undefined) {
    process.stderr.write(`${functions.join(', ')}: this gdb cannot follow their calls on this CPU (${trouble}): they are not compared\n`);
    return undefined;
  }
  const written = JSON.parse(/^JSON:(.*)$/m.exec(text)?.[1] ?? '[]') as WrittenCall[];
  return written.map(({ function: name, returns, args, stack, xmm, rax, length = 0 }) => ({
    function: name, returns: BigInt(returns), args: args.map(BigInt), stack: stack.map(BigInt), xmm: Number(xmm), result: rax === null ? undefined : BigInt(rax), length: BigInt(length),
  }));
}
