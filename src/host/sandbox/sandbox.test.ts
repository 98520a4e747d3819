/**
 * What random operations on plain files do not reach: devices, streams of the user, limits, forks, and what is left
 * behind.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { O } from '../../base/fileConstants.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { Host, HostFd, HostFiles } from '../host.js';
import { NodeHost } from '../nodeHost.js';
import { createSandbox, type Sandbox } from './sandbox.js';

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sandbox-')));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const host = new NodeHost();
const at = (name: string): BytePath => bytePath(`${folder}/${name}`);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

beforeEach(() => {
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
  fs.writeFileSync(`${folder}/file`, 'real content');
});

function put({ files }: Sandbox, name: string, content: Uint8Array, flags: number = O.TRUNC): number {
  const fd = files.open(at(name), O.WRONLY | O.CREAT | flags, 0o644) as HostFd;
  const count = files.write(fd, content, 0);
  files.close(fd);
  return count;
}

function get({ files }: Host, name: string): string {
  const fd = files.open(at(name), O.RDONLY, 0);
  if (fd < 0) return `error ${fd}`;
  const bytes = new Uint8Array(100);
  const count = files.read(fd as HostFd, bytes, 0);
  files.close(fd as HostFd);
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, count)));
}

describe('a fork', () => {
  it('knows what was there before, and nothing of what comes after', () => {
    const first = createSandbox(host);
    put(first, 'file', text('changed'));
    const second = first.fork();
    put(first, 'file', text('first'));
    put(second, 'other', text('second'));
    expect([get(first, 'file'), get(first, 'other')]).toEqual(['first', `error ${-E.NOENT}`]);
    expect([get(second, 'file'), get(second, 'other')]).toEqual(['changed', 'second']);
    expect(get(host, 'file')).toBe('real content');
  });

  it('has the same descriptors, each with its own position and life', () => {
    const first = createSandbox(host);
    const fd = first.files.open(at('file'), O.RDWR, 0) as HostFd;
    first.files.read(fd, new Uint8Array(5));
    const second = first.fork();
    expect(first.files.close(fd)).toBe(0);
    const bytes = new Uint8Array(7);
    expect(second.files.read(fd, bytes)).toBe(7);
    expect(new TextDecoder().decode(bytes)).toBe('content');
    expect(first.files.read(fd, bytes)).toBe(-E.BADF);
  });

  it('takes no longer if there is more', () => {
    const few = createSandbox(host);
    const many = createSandbox(host);
    for (let i = 0; i < 3000; i++) put(many, `f${i}`, text('x'));
    const time = (sandbox: Sandbox): number => {
      const began = performance.now();
      for (let i = 0; i < 200; i++) sandbox.fork();
      return performance.now() - began;
    };
    // Other work on the machine only makes it longer.
    const best = (sandbox: Sandbox): number => Math.min(...Array.from({ length: 5 }, () => time(sandbox)));
    // The first fork of many merges nothing; a copy of all would be a thousand times the work.
    expect(best(many)).toBeLessThan(best(few) * 20 + 20);
  });
});

describe('limits', () => {
  it('of memory end in ENOSPC, and removing makes room', () => {
    const sandbox = createSandbox(host, { limit: 300_000 });
    expect(put(sandbox, 'big', new Uint8Array(1_000_000))).toBeLessThan(300_000);
    expect(put(sandbox, 'more', new Uint8Array(200_000))).toBe(-E.NOSPC);
    expect(sandbox.files.unlink(at('big'))).toBe(0);
    expect(put(sandbox, 'more', new Uint8Array(200_000))).toBe(200_000);
  });

  it('of a file are those of the file system', () => {
    const sandbox = createSandbox(host);
    const fd = sandbox.files.open(at('sparse'), O.WRONLY | O.CREAT, 0o644) as HostFd;
    expect(sandbox.files.write(fd, text('x'), 2 ** 43)).toBe(1);
    expect(sandbox.files.write(fd, text('x'), 2 ** 44)).toBe(-E.FBIG);
    const stat = sandbox.files.statFd(fd);
    expect(typeof stat === 'object' && [stat.size, stat.blocks < 1000]).toEqual([2 ** 43 + 1, true]);
  });
});

describe('the outside', () => {
  it('is reached through harmless devices only', () => {
    const { files } = createSandbox(host);
    for (const name of ['null', 'zero', 'full', 'urandom']) expect(files.open(bytePath(`/dev/${name}`), O.RDWR, 0), name).toBeGreaterThan(0);
    expect(files.open(bytePath('/dev/kmsg'), O.WRONLY, 0)).toBe(-E.PERM);
    expect(files.open(bytePath('/proc/sys/kernel/hostname'), O.WRONLY, 0)).toBe(-E.ACCES);
    expect(files.open(bytePath('/proc/sys/kernel/hostname'), O.RDONLY, 0)).toBeGreaterThan(0);
  });

  it('gets no signals', () => {
    const { signals } = createSandbox(host);
    for (const pid of [process.ppid, process.pid, 2 ** 22 + 5]) expect(signals.send(pid, 0)).toBe(-E.SRCH);
  });

  it('is written to through what the user connected, and only there', () => {
    const log = fs.openSync(`${folder}/log`, 'w');
    const inherited = (): HostFd[] => [log as HostFd];
    const files = Object.assign(Object.create(host.files) as HostFiles, { inherited });
    const sandbox = createSandbox(Object.assign(Object.create(host) as Host, { files }));
    expect(sandbox.files.write(log as HostFd, text('to the log'))).toBe(10);
    expect(sandbox.files.chmod(sandbox.files.pathOfFd(log as HostFd), 0o600)).toBe(-E.PERM);
    expect(sandbox.files.open(sandbox.files.pathOfFd(log as HostFd), O.RDONLY, 0)).toBe(-E.ACCES);
    expect(put(sandbox, 'log', text('by name'))).toBe(7);
    expect(fs.readFileSync(`${folder}/log`, 'latin1')).toBe('to the log');
    fs.closeSync(log);
  });
});

it('leaves no descriptors behind', () => {
  const count = (): number => fs.readdirSync('/proc/self/fd').length;
  const before = count();
  const sandbox = createSandbox(host);
  fs.writeFileSync(`${folder}/large`, new Uint8Array(200_000));
  put(sandbox, 'large', text('changed'), 0);
  expect(get(sandbox, 'large')).toContain('changed');
  sandbox.files.open(at('file'), O.RDONLY, 0);
  const branch = sandbox.fork();
  expect(count()).toBeGreaterThan(before);
  sandbox.dispose();
  branch.dispose();
  expect(count()).toBe(before);
});
