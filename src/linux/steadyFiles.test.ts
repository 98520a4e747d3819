import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { O } from '../base/fileConstants.js';
import { type BytePath, bytePath } from '../base/bytePath.js';
import type { HostFd, HostFiles, HostStat } from '../host/host.js';
import { NodeHost } from '../host/nodeHost.js';
import { steadyFiles } from './steadyFiles.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'steady-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
/** The guest is an hour behind. */
const GUEST = { seconds: Math.floor(Date.now() / 1000) - 3600, nanoseconds: 5000 };

let files: HostFiles;
let guest = GUEST;
let name: BytePath;
let count = 0;
beforeEach(() => {
  const host = new NodeHost();
  guest = GUEST;
  files = steadyFiles(host.files, { guest: () => guest, host: () => host.clock.realtime(), start: host.clock.realtime() });
  name = bytePath(path.join(folder, `file${count++}`));
});

function modified(stat: HostStat | number): number {
  if (typeof stat === 'number') throw new RangeError(`error ${stat}`);
  return stat.modified.seconds;
}

it('what is written gets the guest\'s time when it is closed, for everybody', () => {
  const fd = files.open(name, O.WRONLY | O.CREAT, 0o600) as HostFd;
  files.write(fd, new Uint8Array(3));
  expect(modified(files.stat(name, true))).toBe(GUEST.seconds);
  expect(modified(files.statFd(fd))).toBe(GUEST.seconds);
  expect(fs.statSync(name).mtimeMs / 1000).toBeGreaterThan(GUEST.seconds + 3000);
  files.close(fd);
  expect(Math.floor(fs.statSync(name).mtimeMs / 1000)).toBe(GUEST.seconds);
  expect(modified(files.stat(name, true))).toBe(GUEST.seconds);
});

it('the guest may also be a little ahead', () => {
  guest = { seconds: Math.floor(Date.now() / 1000) + 5, nanoseconds: 0 };
  const fd = files.open(name, O.WRONLY | O.CREAT, 0o600) as HostFd;
  files.write(fd, new Uint8Array(3));
  files.close(fd);
  expect(modified(files.stat(name, true))).toBe(guest.seconds);
});

it('times that were set stay, in the past and in the future', () => {
  for (const seconds of [1_000_000, GUEST.seconds + 100_000]) {
    const fd = files.open(name, O.WRONLY | O.CREAT, 0o600) as HostFd;
    files.write(fd, new Uint8Array(3));
    files.setTimes(name, { seconds, nanoseconds: 0 }, { seconds, nanoseconds: 0 }, true);
    expect(modified(files.statFd(fd))).toBe(seconds);
    files.close(fd);
    expect(modified(files.stat(name, true))).toBe(seconds);
  }
});

it('also if they are recent (cp -p)', () => {
  const fd = files.open(name, O.WRONLY | O.CREAT, 0o600) as HostFd;
  files.write(fd, new Uint8Array(3));
  const recent = { seconds: Math.floor(Date.now() / 1000), nanoseconds: 0 };
  files.setTimes(files.pathOfFd(fd), recent, recent, true);
  files.close(fd);
  expect(Math.floor(fs.statSync(name).mtimeMs / 1000)).toBe(recent.seconds);
});

it('what is only read keeps its time', () => {
  fs.writeFileSync(name, 'x');
  fs.utimesSync(name, 5000, 5000);
  files.close(files.open(name, O.RDONLY, 0) as HostFd);
  expect(fs.statSync(name).mtimeMs).toBe(5_000_000);
});

it('who looks twice sees the same time twice, though the clock goes on: tar compares', () => {
  files.close(files.open(name, O.WRONLY | O.CREAT, 0o600) as HostFd);
  const first = files.stat(name, true) as HostStat;
  guest = { seconds: GUEST.seconds + 7, nanoseconds: 0 };
  const second = files.stat(name, true) as HostStat;
  expect(first.changed).toEqual(GUEST);
  expect([second.changed, second.modified]).toEqual([first.changed, first.modified]);
});
