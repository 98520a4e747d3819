/**
 * Every command on recordings that are damaged in every way: what is sound is used, one line says that it is not all,
 * and the exit status is 65. What is no recording at all is refused in one line, with status 2.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT, culprit, type Outcome, ROOT } from './culprit.js';

const LONG = process.env['CULPRIT_LONG'] !== undefined;
const directory = mkdtempSync(join(tmpdir(), 'culprit-damaged-'));
const SOUND = join(directory, 'sound.culprit');
const PROGRAM = join(directory, 'manyCalls');
const [EVENTS, BLOB, END] = [2, 3, 5];
const [START, CHUNK_HEADER] = [24, 64];

interface Place {
  readonly kind: number;
  readonly at: number;
  readonly length: number;
}

let chunks: readonly Place[] = [];

beforeAll(() => {
  execFileSync('gcc', ['-O1', '-g', '-static', '-o', PROGRAM, `${ROOT}tests/cli/programs/manyCalls.c`]);
  expect(culprit(['record', '-o', SOUND, PROGRAM]).status).toBe(139);
  const bytes = readFileSync(SOUND);
  const found: Place[] = [];
  for (let at = START; at < bytes.length; at += CHUNK_HEADER + (found.at(-1)?.length ?? 0)) found.push({ kind: bytes.readUInt16LE(at + 4), at, length: bytes.readUInt32LE(at + 12) });
  chunks = found;
  expect(events().length).toBeGreaterThanOrEqual(3);
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true }));

const events = (): readonly Place[] => chunks.filter(({ kind }) => kind === EVENTS);
const middle = (): Place => events()[events().length >> 1] as Place;
const only = (kind: number): Place => chunks.find((chunk) => chunk.kind === kind) as Place;

type Change = (bytes: Buffer) => Uint8Array;

function flipped(place: () => Place, offset: (place: Place) => number): Change {
  return (bytes) => {
    const { at, length } = place();
    bytes[at + offset({ kind: 0, at, length })]! ^= 4;
    return bytes;
  };
}

/** How they are damaged, and what is said of it. */
const DAMAGE: readonly (readonly [how: string, change: Change, said: RegExp])[] = [
  ['cut off in the middle of events', (bytes) => bytes.subarray(0, middle().at + CHUNK_HEADER + 5), /cut off in the middle of chunk \d+ \(at byte \d+\)/],
  ['without its end', (bytes) => bytes.subarray(0, only(END).at), /its end is missing/],
  ['with a flipped bit in events', flipped(middle, ({ length }) => CHUNK_HEADER + (length >> 1)), /chunk \d+ \(at byte \d+\) is damaged/],
  ...(LONG ? [
    ['cut off in the middle of its end', (bytes) => bytes.subarray(0, only(END).at + CHUNK_HEADER + 5), /cut off in the middle of chunk \d+/],
    ['cut off between two chunks', (bytes) => bytes.subarray(0, middle().at), /its end is missing/],
    ['with a flipped bit in the head of events', flipped(middle, () => 20), /damaged at byte \d+; chunk \d+ is lost/],
    ['with a flipped bit in its summary', flipped(() => only(END), () => CHUNK_HEADER + 10), /the summary at its end is damaged/],
  ] satisfies [string, Change, RegExp][] : []),
];

/** Everything that takes a recording, with what it is asked for, and something of what it says of what is sound. */
const COMMANDS: readonly (readonly [command: string, args: (file: string) => string[], answer: RegExp])[] = [
  ['replay', (file) => ['replay', file], /^$/],
  ['info', (file) => ['info', file], /^program .*manyCalls/],
  ['dump', (file) => ['dump', file], /getppid\(\)/],
  ['writes', (file) => ['writes', file, 'counter'], /^ {2}counter: \d+ -> \d+$/m],
  ['origin', (file) => ['origin', file, 'counter'], /^counter = \d+$/m],
  ['branch', (file) => ['branch', file, '--at', '5000'], /^$/],
  ['checkpoint', (file) => ['checkpoint', '--every', '100000', file], /^$/],
  ['debug', (file) => ['debug', '-batch', '-ex', 'when', '-ex', 'print counter > 0', file], /^time ([\d,]+) of \1 [^]*\n\$1 = 1\n$/],
  ['query', (file) => ['query', '-e', 'execution.syscalls().count()', file], /^\d{2,}\n$/],
  ['gdbserver', (file) => ['gdbserver', '--stdio', file], /^$/],
];

function damaged(name: string, change: Change): string {
  const path = join(directory, `${name}.culprit`);
  writeFileSync(path, change(readFileSync(SOUND)));
  return path;
}

/**
 * One line on stderr, and none of those that tell of bugs. `checkpoint` and `branch` have something to say there, too.
 */
function complaints({ stderr }: Outcome, command: string): string[] {
  const lines = stderr.split('\n').slice(0, -1);
  expect(lines.every((line) => line.startsWith('culprit: ')), stderr).toBe(true);
  return command === 'checkpoint' || command === 'branch' ? lines.filter((line) => /; (it is used|there are none|nothing of it)/.test(line)) : lines;
}

describe.each(DAMAGE)('a recording %s', (how, change, said) => {
  it.each(COMMANDS)('is used as far as it is sound by %s', (command, args, answer) => {
    const outcome = culprit(args(damaged(`${command}-${how.replace(/\W/g, '-')}`, change)));
    expect(outcome.status, outcome.stderr).toBe(65);
    expect(outcome.stdout).toMatch(answer);
    expect(`${outcome.stdout}${outcome.stderr}`).not.toContain('being recorded');
    const told = complaints(outcome, command);
    if (command === 'info') expect(outcome.stdout).toMatch(said);
    else {
      expect(told, outcome.stderr).toHaveLength(1);
      expect(told[0]).toMatch(said);
    }
  });
});

/** Pages of the program that were needed on the way. */
it.each(LONG ? COMMANDS : COMMANDS.filter(([command]) => ['replay', 'info', 'dump', 'debug', 'checkpoint'].includes(command)))('a stored file with a flipped bit is missed where it is needed: %s', (command, args) => {
  const path = damaged(`${command}-blob`, flipped(() => only(BLOB), ({ length }) => CHUNK_HEADER + (length >> 1)));
  const outcome = culprit(args(path));
  const isNeeded = command !== 'dump';
  expect(outcome.status, outcome.stderr).toBe(isNeeded ? 65 : 0);
  if (command !== 'info') expect(complaints(outcome, command).filter((line) => line.includes('is damaged'))).toHaveLength(isNeeded ? 1 : 0);
});

/** What is no recording at all. */
const NONE: readonly (readonly [what: string, make: () => string, said: RegExp, isForAll: boolean])[] = [
  ['no file', () => join(directory, 'none.culprit'), /none\.culprit: No such file or directory/, true],
  ['a directory', () => {
    mkdirSync(join(directory, 'folder'), { recursive: true });
    return join(directory, 'folder');
  }, /folder: a directory, (not|neither) a recording/, LONG],
  ['an empty file', () => written('empty', ''), /empty: an empty file, (not|neither) a recording/, LONG],
  ['a text', () => written('text.txt', 'This is a text.\n'), /text\.txt: not a recording of culprit/, true],
];

function written(name: string, text: string): string {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
}

describe.each(NONE)('%s', (_, make, said, isForAll) => {
  it.each(isForAll ? COMMANDS : COMMANDS.filter(([command]) => ['info', 'debug', 'query'].includes(command)))('is refused in one line by %s', (_command, args) => {
    const { status, stdout, stderr } = culprit(args(make()));
    expect({ status, stdout }, stderr).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^culprit: .*\n$/);
    expect(stderr).toMatch(said);
  });
});

it('what may be meant as a program is told what it is', () => {
  const run = (...args: string[]): Outcome => culprit(args, { cwd: directory });
  expect(run('debug', 'nothing')).toEqual({ status: 127, stdout: '', stderr: 'culprit: nothing: no such recording or program\n' });
  written('note.txt', 'A note.\n');
  expect(run('debug', 'note.txt')).toEqual({ status: 2, stdout: '', stderr: 'culprit: note.txt: not a recording of culprit, and no program: it is not executable\n' });
  expect(run('debug', 'manyCalls')).toEqual({ status: 2, stdout: '', stderr: 'culprit: manyCalls: not a recording, and no program in PATH; for the one in this directory say ./manyCalls\n' });
});

it('a prompt over nothing is refused, too', () => {
  expect(culprit(['query', 'none.culprit'])).toEqual({ status: 2, stdout: '', stderr: 'culprit: none.culprit: No such file or directory\n' });
});

it('what is being recorded is said to be, and is left alone', async () => {
  const file = join(directory, 'growing.culprit');
  const recorder = spawn(process.execPath, [CULPRIT, 'record', '-o', file, 'sh', '-c', 'echo begun; read line'], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await new Promise((resolve) => recorder.stdout.once('data', resolve));
    const info = (): Outcome => culprit(['info', file]);
    // It is written a fraction of a second after it has happened.
    while (!info().stdout.includes('system calls'));
    const writer = String(recorder.pid);
    expect(culprit(['checkpoint', file])).toMatchObject({ status: 2, stderr: `culprit: ${file}: process ${writer} is still writing to it; try again when that has ended\n` });
    expect(culprit(['debug', '-batch', '-ex', 'when', file])).toMatchObject({ status: 65, stderr: expect.stringContaining(`is still being recorded, by process ${writer}; it is used up to time`) as unknown });
  } finally {
    recorder.stdin.end('\n');
    await new Promise((resolve) => recorder.once('exit', resolve));
  }
  expect(culprit(['info', file]).status).toBe(0);
}, 60_000);

it('gdb is told, too', () => {
  const file = damaged('gdb', (bytes) => bytes.subarray(0, middle().at));
  const { status, stdout, stderr } = spawnSync(process.execPath, [CULPRIT, 'gdb', file, '--', '-nx', '-batch', '-ex', 'info registers rip'], { encoding: 'utf8', timeout: 60_000 });
  expect(status, stderr).toBe(65);
  expect(stderr.match(/its end is missing; it is used up to time [\d,]+/g)).toHaveLength(1);
  expect(stdout).toMatch(/^rip .*<syscall\+\d+>$/m);
}, 60_000);
