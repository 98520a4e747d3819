/** FIFOs that a process outside has made: nothing may stop everything while one task waits for them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { O } from '../files/fileConstants.js';
import { SyscallBench } from '../testing/syscallBench.js';
import { Wait } from '../waiting.js';

let folder: string;
let fifo: string;
let bench: SyscallBench;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fifo-'));
  fifo = path.join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  bench = new SyscallBench();
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

it('opening for reading waits for a writer', async () => {
  const opening = bench.start('open', fifo, O.RDONLY, 0);
  expect(opening).toBeInstanceOf(Wait);
  expect((opening as Wait).external).toBe(true);
  expect((opening as Wait).attempt()).toBe(-E.AGAIN);
  const writer = fs.openSync(fifo, fs.constants.O_RDWR);
  fs.writeSync(writer, 'text');
  const fd = await bench.world.waitFor(bench.process.task, opening as Wait);
  expect(bench.call('read', fd, bench.allocate(16), 16)).toBe(4);
  expect(bench.start('read', fd, bench.allocate(16), 16)).toBeInstanceOf(Wait);
  fs.closeSync(writer);
  expect(bench.call('read', fd, bench.allocate(16), 16)).toBe(0);
});

it('opening for writing waits for a reader', async () => {
  expect(bench.call('open', fifo, O.WRONLY | O.NONBLOCK, 0)).toBe(-E.NXIO);
  const opening = bench.start('open', fifo, O.WRONLY, 0) as Wait;
  expect(opening.attempt()).toBe(-E.AGAIN);
  const reader = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const fd = await bench.world.waitFor(bench.process.task, opening);
  expect(bench.call('write', fd, 'hello', 5)).toBe(5);
  const buffer = Buffer.alloc(10);
  expect(fs.readSync(reader, buffer)).toBe(5);
  fs.closeSync(reader);
});

it('writing waits while it is full, and ends with everything written', async () => {
  const reader = fs.openSync(fifo, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const fd = bench.call('open', fifo, O.WRONLY, 0);
  const bytes = new Uint8Array(150_000).fill(7);
  const writing = bench.start('write', fd, bytes, bytes.length) as Wait;
  expect(writing).toBeInstanceOf(Wait);
  expect(writing.attempt()).toBe(-E.AGAIN);
  const buffer = Buffer.alloc(100_000);
  const seen = { bytes: 0 };
  const timer = setInterval(() => {
    try {
      seen.bytes += fs.readSync(reader, buffer);
    } catch {
      // Nothing there yet.
    }
  }, 1);
  // Something is always due, so that no task stops everything to write.
  bench.call('alarm', 1000);
  expect(await bench.world.waitFor(bench.process.task, writing)).toBe(150_000);
  while (seen.bytes < 150_000) await new Promise((resolve) => setTimeout(resolve, 1));
  clearInterval(timer);
  expect(seen.bytes).toBe(150_000);
  fs.closeSync(reader);
});
