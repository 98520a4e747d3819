import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { E } from '../base/errno.js';
import { bytePath, type BytePath, bytePathFromText, textOfBytePath } from '../base/bytePath.js';
import type { HostFd } from './host.js';
import { NodeHost } from './nodeHost.js';
import { parseLimits } from './nodeProc.js';
import { formatStty, parseStty } from './nodeTerminal.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'host-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const host = new NodeHost();

describe('files', () => {
  it('report errors as numbers', () => {
    expect(host.files.open(bytePath(`${folder}/none`), 0, 0)).toBe(-E.NOENT);
    expect(host.files.stat(bytePath(`${folder}/none`), true)).toBe(-E.NOENT);
    fs.writeFileSync(`${folder}/file`, 'x');
    expect(host.files.stat(bytePath(`${folder}/file/x`), false)).toBe(-E.NOTDIR);
    expect(host.files.makeDirectory(bytePath(folder), 0o700)).toBe(-E.EXIST);
    expect(host.files.read(999 as HostFd, new Uint8Array(1))).toBe(-E.BADF);
  });

  it('tell nanoseconds exactly', () => {
    const native = fs.statSync(`${folder}/file`, { bigint: true });
    const stat = host.files.stat(bytePath(`${folder}/file`), true);
    if (typeof stat === 'number') throw new TypeError('no stat');
    expect(BigInt(stat.modified.seconds) * 1_000_000_000n + BigInt(stat.modified.nanoseconds)).toBe(native.mtimeNs);
  });

  it('make FIFOs and name unnamed files below a descriptor, with the errors of the system', () => {
    const O_PATH = 0o10000000;
    const O_TMPFILE = 0o20200000;
    const directory = host.files.open(bytePath(folder), O_PATH, 0) as HostFd;
    const at = (name: string): BytePath => bytePath(`${host.files.pathOfFd(directory)}/${name}`);
    expect(host.files.makeFifo(at('fifo'), 0o4610)).toBe(0);
    expect(fs.statSync(`${folder}/fifo`).mode).toBe(0o014610);
    expect(host.files.makeFifo(at('fifo'), 0o600)).toBe(-E.EXIST);
    expect(host.files.makeFifo(at('none/fifo'), 0o600)).toBe(-E.NOENT);
    const unnamed = host.files.open(bytePath(folder), O_TMPFILE | 2, 0o600) as HostFd;
    expect(host.files.link(host.files.pathOfFd(unnamed), at('named'))).toBe(0);
    expect(host.files.link(host.files.pathOfFd(unnamed), at('named'))).toBe(-E.EXIST);
    expect(fs.statSync(`${folder}/named`).nlink).toBe(1);
  });

  it('know the offset of a descriptor that others moved', () => {
    fs.writeFileSync(`${folder}/ten`, '0123456789');
    const fd = fs.openSync(`${folder}/ten`, 'r');
    fs.readSync(fd, new Uint8Array(4), 0, 4, null);
    expect(host.files.describe(fd as HostFd)?.offset).toBe(4);
    fs.closeSync(fd);
  });
});

it('keeps names that are no UTF-8', () => {
  const name = bytePath('a\xff\xe9');
  expect(host.files.makeDirectory(bytePath(`${folder}/${name}`), 0o755)).toBe(0);
  const scan = host.files.openDirectory(bytePath(folder));
  if (typeof scan === 'number') throw new TypeError('no directory');
  const names: string[] = [];
  for (let entry = scan.next(); entry !== undefined; entry = scan.next()) names.push(entry.name);
  scan.close();
  expect(names).toContain(name);
  expect(textOfBytePath(bytePathFromText('größe'))).toBe('größe');
});

it('goes on in time', () => {
  const first = host.clock.monotonic();
  const second = host.clock.monotonic();
  expect(second.seconds - first.seconds + (second.nanoseconds - first.nanoseconds) / 1e9).toBeGreaterThan(0);
  expect(Math.abs(host.clock.realtime().seconds - Date.now() / 1000)).toBeLessThan(2);
});

it('reads limits as /proc shows them', () => {
  const limits = parseLimits('Limit\nMax stack size            8388608              unlimited            bytes     \n');
  expect(limits[3]).toEqual({ soft: 8388608, hard: Infinity });
});

it('reads and writes the form of stty -g', () => {
  const text = '500:5:bf:8a3b:3:1c:7f:15:4:0:1:0:11:13:1a:0:12:f:17:16:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0';
  const attributes = parseStty(text);
  expect(attributes).toMatchObject({ input: 0x500, local: 0x8a3b });
  if (attributes === undefined) throw new TypeError('not parsed');
  expect(formatStty(attributes, text)).toBe(text);
});
