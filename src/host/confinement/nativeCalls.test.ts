import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeNativeCalls, sharedObject } from './nativeCalls.js';

const GETPID = 39;
const DUP = 32;
const CLOSE = 3;
const WRITE = 1;
const CODE_AT = 0x200;
const CODE_BYTES = 80;

it('has the bytes of the code that its comment shows', () => {
  const source = fs.readFileSync(new URL('./nativeCalls.ts', import.meta.url), 'utf8');
  const listing = /\/\*\*\n((?: \* {2}.*\n)+)/.exec(source.slice(source.indexOf('push rbx') - 40))?.[1] ?? '';
  const lines = listing.replaceAll(' * ', '').split(/;|\n/);
  const folder = fs.mkdtempSync(join(tmpdir(), 'culprit-native-'));
  try {
    const table = 0x1000 + 12 * 16 + 24 + 8 + 24 - CODE_AT;
    fs.writeFileSync(join(folder, 'code.s'), ['.intel_syntax noprefix', ...lines, `.org ${table}`, 'table:', ''].join('\n'));
    execFileSync('gcc', ['-c', 'code.s', '-o', 'code.o'], { cwd: folder });
    execFileSync('objcopy', ['-O', 'binary', '-j', '.text', 'code.o', 'code.bin'], { cwd: folder });
    const ours = sharedObject([]).subarray(CODE_AT, CODE_AT + CODE_BYTES);
    expect(Buffer.from(ours).toString('hex')).toBe(fs.readFileSync(join(folder, 'code.bin')).subarray(0, CODE_BYTES).toString('hex'));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

it('makes calls in our own process, with memory and the result of the first one', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'culprit-native-'));
  const fd = fs.openSync(join(folder, 'file'), 'w+');
  const text = { bytes: new TextEncoder().encode('written') };
  const results = makeNativeCalls([
    { number: DUP, arguments: [fd] },
    { number: WRITE, arguments: ['result of the first call', text, 7] },
    { number: CLOSE, arguments: ['result of the first call'] },
    { number: GETPID, arguments: [] },
    { number: CLOSE, arguments: [12_345] },
  ]);
  expect(results?.slice(1)).toEqual([7, 0, process.pid, -9]);
  expect(fs.readFileSync(join(folder, 'file'), 'utf8')).toBe('written');
  fs.closeSync(fd);
  fs.rmSync(folder, { recursive: true });
});

it('leaves no files behind', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'culprit-native-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    expect(makeNativeCalls([{ number: GETPID, arguments: [] }])).toEqual([process.pid]);
    expect(fs.readdirSync(folder)).toEqual([]);
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    fs.rmdirSync(folder);
  }
});
