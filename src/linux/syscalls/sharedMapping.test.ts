import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { O } from '../files/fileConstants.js';
import { SyscallBench } from '../testing/syscallBench.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'shared-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

it.each(['a file', 'a memory file'])('a shared mapping and %s show each other\'s changes', (kind) => {
  const bench = new SyscallBench();
  const fd = kind === 'a file'
    ? bench.call('open', path.join(folder, 'file'), O.RDWR | O.CREAT, 0o600)
    : bench.call('memfd_create', 'memory', 0);
  expect(bench.call('ftruncate', fd, 8192)).toBe(0);
  const map = bench.call('mmap', 0, 8192, 3, 1, fd, 0);
  expect(map).toBeGreaterThan(0);
  bench.space.write(map + 100, Uint8Array.from([65, 66, 67]));
  const at = bench.allocate(16);
  expect(bench.call('pread64', fd, at, 3, 100)).toBe(3);
  expect(bench.text(at, 3)).toBe('ABC');
  expect(bench.call('lseek', fd, 4000, 0)).toBe(4000);
  expect(bench.call('write', fd, 'xyz', 3)).toBe(3);
  expect(bench.text(map + 4000, 3)).toBe('xyz');
  expect(bench.call('close', fd)).toBe(0);
  bench.space.write(map + 8191, Uint8Array.from([33]));
  expect(bench.call('munmap', map, 8192)).toBe(0);
  if (kind === 'a file') expect(fs.readFileSync(path.join(folder, 'file')).at(-1)).toBe(33);
});

it.each(['ftruncate', 'truncate'] as const)('%s takes pages away from a shared mapping', (name) => {
  const bench = new SyscallBench();
  const file = path.join(folder, name);
  const fd = bench.call('open', file, O.RDWR | O.CREAT, 0o600);
  expect(bench.call('ftruncate', fd, 8192)).toBe(0);
  const map = bench.call('mmap', 0, 8192, 3, 1, fd, 0);
  bench.space.write(map + 5000, Uint8Array.from([1]));
  expect(bench.call(name, name === 'truncate' ? file : fd, 4096)).toBe(0);
  expect(bench.space.resolve(map + 5000, 1, 'read')).toMatchObject({ ok: false, bus: true });
  expect(bench.space.resolve(map + 4095, 1, 'read')).toMatchObject({ ok: true });
});

it('two shared mappings of the same bytes show each other\'s changes', () => {
  const bench = new SyscallBench();
  const fd = bench.call('memfd_create', 'memory', 0);
  bench.call('ftruncate', fd, 12288);
  const whole = bench.call('mmap', 0, 12288, 3, 1, fd, 0);
  const part = bench.call('mmap', 0, 8192, 3, 1, fd, 4096);
  for (let round = 0; round < 3; round++) {
    bench.space.writeU8(whole + 4096 + round, 10 + round);
    expect(bench.space.readU8(part + round)).toBe(10 + round);
    bench.space.writeU8(part + 4096 + round, 20 + round);
    expect(bench.space.readU8(whole + 8192 + round)).toBe(20 + round);
  }
  expect([0, 1, 2].map((i) => bench.space.readU8(whole + 8192 + i))).toEqual([20, 21, 22]);
  expect(bench.space.readU8(whole)).toBe(0);
});
