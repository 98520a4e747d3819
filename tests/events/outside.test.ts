import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { USUAL, type Variant } from '../programs/variants.js';
import { ensureBuilt } from '../table/built.js';
import { CULPRIT } from '../table/run.js';

let program: string;
let folder: string;
beforeAll(async () => {
  await ensureBuilt();
  program = await buildProgram('outsideEvents.c', USUAL[0] as Variant);
}, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outside-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

class Guest {
  private readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  private output = '';

  constructor(args: readonly string[], onTerminal = false) {
    const command = [process.execPath, CULPRIT, 'run', '--', program, ...args];
    // script(1) runs it on a terminal of its own.
    const [file = '', ...rest] = onTerminal ? ['script', '-qfec', command.join(' '), '/dev/null'] : command;
    this.child = spawn(file, rest);
    this.child.stdout.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
  }

  /** All that it has printed, once that includes `text`. */
  async says(text: string): Promise<string> {
    for (let i = 0; i < 1000 && !this.output.includes(text); i++) await new Promise((resolve) => setTimeout(resolve, 10));
    return this.output;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  type(text: string): void {
    this.child.stdin.write(text);
  }

  endInput(): void {
    this.child.stdin.end();
  }
}

test('a signal that is blocked waits for signalfd', async () => {
  const guest = new Guest(['signal']);
  await guest.says('ready\n');
  // The guest may be about to wait only: ready is what it says before.
  await new Promise((resolve) => setTimeout(resolve, 100));
  guest.kill('SIGTERM');
  expect(await guest.says('signal 15\n')).toBe('ready\n128 bytes, signal 15\n');
  expect(await guest.ended).toBe(0);
});

test('changes that others make reach inotify', async () => {
  const guest = new Guest(['change', folder]);
  await guest.says('ready\n');
  writeFileSync(join(folder, 'news'), 'text');
  // The host may be seen in the middle of it, so that it is written in two steps.
  expect(await guest.says('written news\n')).toMatch(/^ready\n(written news\n)+$/);
  rmSync(join(folder, 'news'));
  expect(await guest.says('deleted news\n')).toMatch(/^ready\n(written news\n)+deleted news\n$/);
  expect(await guest.ended).toBe(0);
});

test('input wakes an edge-triggered epoll each time', async () => {
  const guest = new Guest(['input']);
  await guest.says('ready\n');
  let all = 'ready\n';
  for (const line of ['one\n', 'two\n', 'three\n']) {
    guest.type(line);
    expect(await guest.says(line)).toBe((all += line));
  }
  guest.endInput();
  expect(await guest.says('end\n')).toBe(`${all}end\n`);
});

test('a terminal says when there is a line, and once that there will be no more', async () => {
  const guest = new Guest(['input'], true);
  await guest.says('ready\r\n');
  guest.type('line\n');
  // The terminal shows what is typed, then the guest what it has read.
  await guest.says('line\r\nline\r\n');
  guest.type('\x04');
  expect(await guest.says('end\r\n')).toBe('ready\r\nline\r\nline\r\nend\r\n');
});
