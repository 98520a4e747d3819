import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { O, POLL } from '../files/fileConstants.js';
import { ERESTART } from '../signals/restart.js';
import { SIG } from '../../base/signalNumbers.js';
import { SyscallBench } from '../testing/syscallBench.js';

let bench: SyscallBench;
beforeEach(() => {
  bench = new SyscallBench();
});

function pipe(): [number, number] {
  const at = bench.allocate(8);
  bench.call('pipe', at);
  return [bench.space.readI32(at), bench.space.readI32(at + 4)];
}

function pollFds(...entries: readonly (readonly [number, number])[]): number {
  const at = bench.allocate(entries.length * 8);
  entries.forEach(([fd, events], i) => {
    bench.space.writeU32(at + i * 8, fd);
    bench.space.writeU16(at + i * 8 + 4, events);
  });
  return at;
}

describe('poll', () => {
  it('reports what is ready', () => {
    const [readEnd, writeEnd] = pipe();
    const at = pollFds([readEnd, POLL.IN], [writeEnd, POLL.OUT], [99, POLL.IN], [-1, POLL.IN]);
    expect(bench.call('poll', at, 4, 0)).toBe(2);
    expect([0, 1, 2, 3].map((i) => bench.space.readU16(at + i * 8 + 6))).toEqual([0, POLL.OUT, POLL.NVAL, 0]);
    bench.call('write', writeEnd, 'x', 1);
    bench.call('close', writeEnd);
    expect(bench.call('poll', at, 1, -1)).toBe(1);
    expect(bench.space.readU16(at + 6)).toBe(POLL.IN | POLL.HUP);
  });

  it('ends after its timeout', async () => {
    const [readEnd] = pipe();
    const began = Date.now();
    expect(await bench.wait('poll', pollFds([readEnd, POLL.IN]), 1, 30)).toBe(0);
    expect(Date.now() - began).toBeGreaterThanOrEqual(28);
  });

  it('wakes up for a timer, and for a signal', async () => {
    const timer = bench.call('timerfd_create', 1, 0);
    const setting = bench.allocate(32);
    bench.space.writeNum64(setting + 24, 5_000_000);
    expect(bench.call('timerfd_settime', timer, 0, setting, 0)).toBe(0);
    expect(await bench.wait('poll', pollFds([timer, POLL.IN]), 1, 1000)).toBe(1);
    setTimeout(() => bench.signals.raise(SIG.USR1), 5);
    const [readEnd] = pipe();
    expect(await bench.wait('poll', pollFds([readEnd, POLL.IN]), 1, -1)).toBe(-ERESTART.RESTARTBLOCK);
  });
});

describe('select', () => {
  it('rewrites its sets', () => {
    const [readEnd, writeEnd] = pipe();
    const [reads, writes, timeout] = [bench.allocate(16), bench.allocate(16), bench.allocate(16)];
    bench.space.writeU8(reads, 1 << readEnd);
    bench.space.writeU8(writes, 1 << writeEnd);
    expect(bench.call('select', 8, reads, writes, 0, timeout)).toBe(1);
    expect([bench.space.readU8(reads), bench.space.readU8(writes)]).toEqual([0, 1 << writeEnd]);
    bench.space.writeU8(reads, 0x80);
    expect(bench.call('select', 8, reads, 0, 0, timeout)).toBe(-E.BADF);
  });
});

describe('epoll', () => {
  it('reports level and edge', () => {
    const [readEnd, writeEnd] = pipe();
    const epoll = bench.call('epoll_create1', 0);
    const event = bench.allocate(16);
    bench.space.writeU32(event, POLL.IN);
    bench.space.writeU64(event + 4, 0x1234_5678_9abcn);
    expect(bench.call('epoll_ctl', epoll, 1, readEnd, event)).toBe(0);
    expect(bench.call('epoll_ctl', epoll, 1, readEnd, event)).toBe(-E.EXIST);
    expect(bench.call('epoll_wait', epoll, event, 1, 0)).toBe(0);
    bench.call('write', writeEnd, 'x', 1);
    const found = bench.allocate(16);
    expect(bench.call('epoll_wait', epoll, found, 1, 0)).toBe(1);
    expect(bench.space.readU64(found + 4)).toBe(0x1234_5678_9abcn);
    bench.space.writeU32(event, POLL.IN | 0x8000_0000);
    expect(bench.call('epoll_ctl', epoll, 3, readEnd, event)).toBe(0);
    expect(bench.call('epoll_wait', epoll, found, 1, 0)).toBe(1);
    expect(bench.call('epoll_wait', epoll, found, 1, 0)).toBe(0);
    expect(bench.call('epoll_ctl', epoll, 1, bench.call('open', '/etc/passwd', O.RDONLY, 0), event)).toBe(-E.PERM);
  });
});

describe('a pipe of the host', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'polling-'));
    execFileSync('mkfifo', [path.join(folder, 'fifo')]);
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('is ready when it has bytes, and keeps those read ahead', () => {
    const other = fs.openSync(path.join(folder, 'fifo'), fs.constants.O_RDWR);
    const fd = bench.call('open', path.join(folder, 'fifo'), O.RDONLY, 0);
    const at = pollFds([fd, POLL.IN]);
    expect(bench.call('poll', at, 1, 0)).toBe(0);
    fs.writeSync(other, 'hello');
    expect(bench.call('poll', at, 1, -1)).toBe(1);
    const buffer = bench.allocate(16);
    expect(bench.call('ioctl', fd, 0x541b, buffer)).toBe(0);
    expect(bench.space.readU32(buffer)).toBe(5);
    expect(bench.call('read', fd, buffer, 2)).toBe(2);
    expect(bench.call('read', fd, buffer, 16)).toBe(3);
    expect(bench.text(buffer, 3)).toBe('llo');
    bench.call('fcntl', fd, 4, O.NONBLOCK);
    expect(bench.call('read', fd, buffer, 16)).toBe(-E.AGAIN);
    fs.closeSync(other);
    expect(bench.call('poll', at, 1, 0)).toBe(1);
    expect(bench.space.readU16(at + 6)).toBe(POLL.HUP);
    expect(bench.call('read', fd, buffer, 16)).toBe(0);
  });
});
