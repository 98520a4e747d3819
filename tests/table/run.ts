/** Runs an invocation natively or in culprit, and keeps all that the two must agree on. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.js';
import { ENVIRONMENT, type Invocation } from './invocation.js';
import type { Sandbox } from './sandbox.js';

export interface Outcome {
  /** As a shell sees it: 128+n if signal n killed it. */
  readonly status: number;
  readonly killedBySignal: boolean;
  /** Bytes as Latin-1 characters. */
  readonly stdout: string;
  readonly stderr: string;
  readonly files: ReadonlyMap<string, string>;
}

export const CULPRIT = fileURLToPath(new URL('../../bin/culprit', import.meta.url));

/** Checks of a compiler take minutes on a busy machine; only long runs have them. */
const TIMEOUT = process.env['CULPRIT_LONG'] === '1' ? 1_800_000 : 120_000;
/** Milliseconds that what a program leaves behind has for its last words. */
const GRACE = 10_000;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export async function runNatively(invocation: Invocation, sandbox: Sandbox): Promise<Outcome> {
  const [program, ...args] = invocation.argv;
  const ended = await run(program ?? '', args, invocation, sandbox);
  return outcome(invocation, sandbox, ended, ended.stderr.toString('latin1'));
}

/** `native` is what to compare with: if a signal killed that, culprit says so on stderr, as a shell does. */
export async function runInCulprit(invocation: Invocation, sandbox: Sandbox, native: Outcome, options: readonly string[], command = 'run'): Promise<Outcome> {
  const ended = await run(process.execPath, [CULPRIT, command, ...options, '--', ...invocation.argv], invocation, sandbox);
  assert(ended.signal === null, `culprit itself was killed by ${ended.signal}`);
  const stderr = ended.stderr.toString('latin1');
  return outcome(invocation, sandbox, ended, native.killedBySignal ? withoutLastLine(stderr) : stderr);
}

function withoutLastLine(text: string): string {
  return text.replace(/[^\n]*\n$/, '');
}

function run(program: string, args: readonly string[], invocation: Invocation, sandbox: Sandbox): Promise<Ended> {
  sandbox.prepare(invocation);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: sandbox.directory,
      env: { ...ENVIRONMENT, ...invocation.environment },
      stdio: [invocation.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: TIMEOUT,
      killSignal: 'SIGKILL',
    });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    child.on('error', reject);
    // Processes that outlive the program may keep its streams open for ever.
    child.on('exit', () => setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), GRACE).unref());
    // A program need not read all of its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(invocation.stdin);
    child.on('close', (code, signal) => resolve({ code, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }));
  });
}

function collect(stream: Readable | null): Buffer[] {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return chunks;
}

function outcome(invocation: Invocation, sandbox: Sandbox, ended: Ended, stderr: string): Outcome {
  const normalise = invocation.normalise ?? ((text: string): string => text);
  return {
    status: ended.code ?? 128 + (ended.signal === null ? 0 : constants.signals[ended.signal]),
    killedBySignal: ended.signal !== null,
    stdout: normalise(ended.stdout.toString('latin1')),
    stderr: normalise(stderr),
    files: sandbox.contents(),
  };
}
