import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { O } from '../files/fileConstants.js';
import { SIG, setOf } from '../../base/signalNumbers.js';
import { SyscallBench } from '../testing/syscallBench.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transfer-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function file(name: string, text = ''): string {
  const full = path.join(folder, name);
  if (text !== '') fs.writeFileSync(full, text);
  return full;
}

describe('regular files', () => {
  it('read and write at an offset that seeks move', () => {
    const bench = new SyscallBench();
    const fd = bench.call('open', file('a'), O.RDWR | O.CREAT, 0o644);
    expect(fd).toBe(3);
    expect(bench.call('write', fd, 'hello world', 11)).toBe(11);
    expect(bench.call('lseek', fd, 6, 0)).toBe(6);
    expect(bench.readAll(fd)).toBe('world');
    expect(bench.call('lseek', fd, -5, 2)).toBe(6);
    expect(bench.call('lseek', fd, -50, 1)).toBe(-E.INVAL);
    expect(bench.call('pwrite64', fd, 'HE', 2, 0)).toBe(2);
    const at = bench.allocate(16);
    expect(bench.call('pread64', fd, at, 5, 0)).toBe(5);
    expect(bench.text(at, 5)).toBe('HEllo');
    expect(bench.call('lseek', fd, 0, 1)).toBe(6);
    expect(bench.call('close', fd)).toBe(0);
    expect(bench.call('close', fd)).toBe(-E.BADF);
  });

  it('append at the end, whatever the offset', () => {
    const bench = new SyscallBench();
    const fd = bench.call('open', file('append', 'one'), O.WRONLY | O.APPEND, 0);
    expect(bench.call('write', fd, ' two', 4)).toBe(4);
    expect(bench.call('lseek', fd, 0, 1)).toBe(7);
    const plain = bench.call('open', file('append'), O.WRONLY, 0);
    expect(bench.call('fcntl', plain, 4, O.APPEND)).toBe(0);
    expect(bench.call('write', plain, '!', 1)).toBe(1);
    expect(fs.readFileSync(file('append'), 'latin1')).toBe('one two!');
  });

  it('scatter and gather', () => {
    const bench = new SyscallBench();
    const fd = bench.call('open', file('vector'), O.RDWR | O.CREAT, 0o600);
    const vectors = bench.allocate(32);
    bench.space.writeNum64(vectors, bench.place('abc'));
    bench.space.writeNum64(vectors + 8, 3);
    bench.space.writeNum64(vectors + 16, bench.place('defg'));
    bench.space.writeNum64(vectors + 24, 4);
    expect(bench.call('writev', fd, vectors, 2)).toBe(7);
    expect(bench.call('preadv', fd, vectors, 2, 1, 0)).toBe(6);
    expect(bench.text(bench.space.readNum64(vectors), 3)).toBe('bcd');
    expect(bench.text(bench.space.readNum64(vectors + 16), 3)).toBe('efg');
    expect(bench.call('readv', fd, vectors, -1)).toBe(-E.INVAL);
  });

  it('report unreadable buffers and wrong access modes', () => {
    const bench = new SyscallBench();
    const fd = bench.call('open', file('modes', 'text'), O.RDONLY, 0);
    expect(bench.call('read', fd, 0x1000, 4)).toBe(-E.FAULT);
    expect(bench.call('write', fd, 'x', 1)).toBe(-E.BADF);
    expect(bench.call('open', file('missing'), O.RDONLY, 0)).toBe(-E.NOENT);
    expect(bench.call('open', `${file('modes')}/x`, O.RDONLY, 0)).toBe(-E.NOTDIR);
  });

  it('copy between descriptors', () => {
    const bench = new SyscallBench();
    const from = bench.call('open', file('from', 'x'.repeat(300_000)), O.RDONLY, 0);
    const to = bench.call('open', file('to'), O.WRONLY | O.CREAT, 0o644);
    expect(bench.call('copy_file_range', from, 0, to, 0, 200_000, 0)).toBe(200_000);
    expect(bench.call('sendfile', to, from, 0, 1 << 30)).toBe(100_000);
    expect(fs.statSync(file('to')).size).toBe(300_000);
  });
});

describe('pipes', () => {
  it('pass bytes and report ends', () => {
    const bench = new SyscallBench();
    const fds = bench.allocate(8);
    expect(bench.call('pipe2', fds, O.NONBLOCK)).toBe(0);
    const [readEnd, writeEnd] = [bench.space.readI32(fds), bench.space.readI32(fds + 4)];
    const at = bench.allocate(16);
    expect(bench.call('read', readEnd, at, 16)).toBe(-E.AGAIN);
    expect(bench.call('write', writeEnd, 'data', 4)).toBe(4);
    expect(bench.call('ioctl', readEnd, 0x541b, at)).toBe(0);
    expect(bench.space.readU32(at)).toBe(4);
    expect(bench.call('read', readEnd, at, 16)).toBe(4);
    expect(bench.call('write', writeEnd, new Uint8Array(70_000), 70_000)).toBe(65_536);
    expect(bench.call('write', writeEnd, 'x', 1)).toBe(-E.AGAIN);
    bench.call('close', readEnd);
    expect(bench.call('write', writeEnd, 'x', 1)).toBe(-E.PIPE);
    expect(bench.signals.pendingSet).toBe(setOf(SIG.PIPE));
  });

  it('make a reader wait until a signal comes', async () => {
    const bench = new SyscallBench();
    const fds = bench.allocate(8);
    bench.call('pipe', fds);
    const waiting = bench.wait('read', bench.space.readI32(fds), bench.allocate(16), 16);
    setTimeout(() => bench.signals.raise(SIG.USR1), 5);
    expect(await waiting).toBe(-512);
  });
});

describe('descriptor numbers', () => {
  it('are the lowest free ones', () => {
    const bench = new SyscallBench();
    const name = file('numbers', 'x');
    expect([3, 4, 5].map(() => bench.call('open', name, O.RDONLY, 0))).toEqual([3, 4, 5]);
    bench.call('close', 4);
    expect(bench.call('dup', 3)).toBe(4);
    expect(bench.call('fcntl', 3, 0, 10)).toBe(10);
    expect(bench.call('dup2', 3, 20)).toBe(20);
    expect(bench.call('dup3', 3, 3, 0)).toBe(-E.INVAL);
    expect(bench.call('dup', 3)).toBe(6);
    expect(bench.call('fcntl', 3, 1030, 0)).toBe(7);
    expect(bench.call('fcntl', 7, 1)).toBe(1);
    expect(bench.call('fcntl', 3, 1)).toBe(0);
  });

  it('end at the limit', () => {
    const bench = new SyscallBench();
    const limit = bench.allocate(16);
    bench.space.writeNum64(limit, 5);
    bench.space.writeNum64(limit + 8, 100);
    expect(bench.call('prlimit64', 0, 7, limit, 0)).toBe(0);
    const name = file('limit', 'x');
    expect([0, 0, 0].map(() => bench.call('open', name, O.RDONLY, 0))).toEqual([3, 4, -E.MFILE]);
  });
});
