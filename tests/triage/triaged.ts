/**
 * The program with four bugs that show at thirty places, inputs for it as a fuzzer would leave them, and the command as
 * users start it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CULPRIT } from '../cli/culprit.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/triage/', import.meta.url));
const SITES = 30;

export const LONG = process.env['CULPRIT_LONG'] !== undefined;

/** Without a stack protector: otherwise all overflows on the stack would end at the same place. */
export function fourBugs(): string {
  return compiled('fourBugs', '-fno-stack-protector');
}

export function compiled(name: string, ...flags: readonly string[]): string {
  const file = join(BUILD_FOLDER, name);
  if (existsSync(file)) return file;
  mkdirSync(BUILD_FOLDER, { recursive: true });
  const made = `${file}.${process.pid}`;
  execFileSync('gcc', ['-g', '-O0', ...flags, '-o', made, join(SOURCES, `${name}.c`)]);
  renameSync(made, file);
  return file;
}

/** The line with `MARK: name`. */
export function lineOf(mark: string): number {
  return readFileSync(join(SOURCES, 'fourBugs.c'), 'utf8').split('\n').findIndex((line) => line.includes(`MARK: ${mark} `)) + 1;
}

export const BUGS = ['heap', 'global', 'dangling', 'stack'] as const;
/** So many bytes reach the pointer behind the buffer, and not much else. */
const LENGTHS: Readonly<Record<(typeof BUGS)[number], readonly [number, number]>> = { heap: [36, 70], global: [20, 40], dangling: [4, 20], stack: [28, 32] };

/** As AFL leaves them: `count` crashes, each another file, all bugs and places in turn. */
export function makeCrashes(folder: string, count: number): void {
  const crashes = join(folder, 'default', 'crashes');
  mkdirSync(crashes, { recursive: true });
  writeFileSync(join(crashes, 'README.txt'), 'Command line used to find this crash: ...\n');
  writeFileSync(join(folder, 'default', 'fuzzer_stats'), 'start_time : 0\n');
  for (let i = 0; i < count; i++) writeFileSync(join(crashes, `id:${String(i).padStart(6, '0')},sig:11,src:000000,op:havoc`), crash(i));
}

function crash(i: number): Buffer {
  const bug = BUGS[i % BUGS.length] ?? 'heap';
  const [least, most] = LENGTHS[bug];
  const round = Math.floor(i / BUGS.length);
  // The last byte tells those apart that are alike otherwise. No byte is zero.
  const payload = Buffer.alloc(least + (i % (most - least + 1)), 0x41);
  payload[0] = 1 + (round % 250);
  payload[1] = 1 + (Math.floor(round / 250) % 250);
  return Buffer.concat([Buffer.from([bug.charCodeAt(0), round % SITES]), payload]);
}

export interface Triage {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedTriage {
  readonly child: ChildProcess;
  readonly ended: Promise<Triage>;
}

/** Nothing that others have found out is used, nor left to them. */
export function startTriage(folder: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): StartedTriage {
  const child = spawn(process.execPath, [CULPRIT, 'triage', ...words], { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  return { child, ended: new Promise((done) => child.on('close', (status, signal) => done({ status, signal, stdout, stderr }))) };
}

export async function triage(folder: string, ...words: readonly string[]): Promise<Triage> {
  return startTriage(folder, words).ended;
}

/** Of a group: what is to blame, how many inputs there are, and the smallest. */
export interface ShownGroup {
  readonly kind: string;
  readonly place: { readonly line: number; readonly function: string } | null;
  readonly count: number;
  readonly smallest: string;
  readonly failures: readonly { readonly where: string; readonly count: number }[];
}

export function groupsOf({ stdout }: Triage): readonly ShownGroup[] {
  return (JSON.parse(stdout) as { groups: ShownGroup[] }).groups;
}

/** `corruption 50 x 12`, in order. */
export function shortGroups(result: Triage): string[] {
  return groupsOf(result).map(({ kind, place, count }) => `${kind} ${place?.line ?? '-'} x ${count}`).sort();
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'culprit-triage-'));
}

export interface RunningRedis {
  readonly url: string;
  /** With the password. */
  readonly secretUrl: string;
  stop(): Promise<void>;
}

export const PASSWORD = 'not-for-all-eyes';

/** On a free port, for this machine alone, with nothing kept. */
export async function startRedis(): Promise<RunningRedis> {
  const folder = temporaryFolder();
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', '--requirepass', PASSWORD], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((ready, fail) => {
    child.on('error', fail);
    child.on('exit', () => fail(new Error('redis-server has ended')));
    child.stdout.on('data', (bytes: Buffer) => bytes.toString().includes('Ready to accept connections') && ready());
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    secretUrl: `redis://:${PASSWORD}@127.0.0.1:${port}`,
    async stop() {
      const gone = new Promise((done) => child.on('close', done));
      child.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((go) => setTimeout(go, 50));
}
