/** Our structures against those the native kernel fills in, byte for byte. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AT_FDCWD, O } from '../files/fileConstants.js';
import { SyscallBench } from '../testing/syscallBench.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'structs-'));
const program = path.join(folder, 'native');

/** Makes one system call with a zeroed buffer and prints the result and the buffer. */
const SOURCE = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static unsigned char buffer[8192];
int main(int argc, char **argv) {
  long n = atol(argv[1]), args[6] = {0}, result;
  int size = atoi(argv[2]);
  for (int i = 3; i < argc; i++) {
    char *a = argv[i];
    args[i - 3] = a[0] == '@' ? (long)buffer : a[0] == '=' ? atol(a + 1) : a[0] == '<' ? open(a + 1, O_RDONLY) : (long)a;
  }
  result = syscall(n, args[0], args[1], args[2], args[3], args[4], args[5]);
  printf("%ld ", result);
  for (int i = 0; i < size; i++) printf("%02x", buffer[i]);
  return 0;
}
`;

beforeAll(() => {
  fs.writeFileSync(`${program}.c`, SOURCE);
  execFileSync('gcc', ['-O0', '-o', program, `${program}.c`]);
  fs.writeFileSync(path.join(folder, 'file'), 'some text', { mode: 0o640 });
  fs.symlinkSync('file', path.join(folder, 'link'));
  fs.mkdirSync(path.join(folder, 'directory'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

function native(number: number, size: number, ...args: readonly string[]): { result: number; bytes: Uint8Array } {
  const [result, hex] = execFileSync(program, [String(number), String(size), ...args], { encoding: 'latin1' }).split(' ');
  return { result: Number(result), bytes: new Uint8Array(Buffer.from(hex ?? '', 'hex')) };
}

describe('struct stat', () => {
  it.each(['file', 'link', 'directory', '/dev/null', '/proc/version'])('of %s', (name) => {
    const bench = new SyscallBench();
    const at = bench.allocate(144);
    const full = path.resolve(folder, name);
    for (const [call, number] of [['stat', 4], ['lstat', 6]] as const) {
      const expected = native(number, 144, full, '@');
      expect(bench.call(call, full, at)).toBe(expected.result);
      expect(bench.space.read(at, 144)).toEqual(expected.bytes);
    }
  });

  it('relative to a directory', () => {
    const bench = new SyscallBench();
    const at = bench.allocate(144);
    const dirFd = bench.call('open', folder, O.RDONLY | O.DIRECTORY, 0);
    const expected = native(6, 144, path.join(folder, 'link'), '@');
    expect(bench.call('newfstatat', dirFd, 'link', at, 0x100)).toBe(0);
    expect(bench.space.read(at, 144)).toEqual(expected.bytes);
    expect(bench.call('newfstatat', dirFd, '', at, 0x1000)).toBe(0);
    expect(bench.call('newfstatat', 99, 'link', at, 0)).toBe(-9);
  });
});

it('struct statx', () => {
  const bench = new SyscallBench();
  const at = bench.allocate(256);
  const full = path.join(folder, 'file');
  const expected = native(332, 256, '=-100', full, '=0', `=${0xfff}`, '@');
  expect(bench.call('statx', AT_FDCWD, full, 0, 0xfff, at)).toBe(0);
  const ours = bench.space.read(at, 256);
  // Attributes and everything after the device numbers (mount id, alignments) are optional.
  for (const bytes of [ours, expected.bytes]) {
    bytes.fill(0, 8, 16);
    bytes.fill(0, 56, 64);
    bytes.fill(0, 144);
  }
  expect(ours.subarray(4)).toEqual(expected.bytes.subarray(4));
});

it('struct statfs', () => {
  const bench = new SyscallBench();
  const at = bench.allocate(120);
  const expected = native(137, 120, folder, '@');
  expect(bench.call('statfs', folder, at)).toBe(0);
  const ours = bench.space.read(at, 120);
  // Free blocks and files move; the id and the mount flags are not to be had.
  for (const bytes of [ours, expected.bytes]) {
    bytes.fill(0, 24, 40);
    bytes.fill(0, 48, 64);
    bytes.fill(0, 80);
  }
  expect(ours).toEqual(expected.bytes);
});

it('struct utsname', () => {
  const bench = new SyscallBench();
  const at = bench.allocate(390);
  expect(bench.call('uname', at)).toBe(0);
  expect(bench.space.read(at, 390)).toEqual(native(63, 390, '@').bytes);
});

it('resource limits, apart from the number of files that Node raises', () => {
  const bench = new SyscallBench();
  const at = bench.allocate(16);
  for (const resource of [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15]) {
    expect(bench.call('prlimit64', 0, resource, 0, at)).toBe(0);
    expect(bench.space.read(at, 16)).toEqual(native(97, 16, `=${resource}`, '@').bytes);
  }
});

function entries(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at += view.getUint16(at + 16, true)) {
    const end = bytes.indexOf(0, at + 19);
    found.push(`${view.getBigUint64(at, true)} ${bytes[at + 18]} ${Buffer.from(bytes.subarray(at + 19, end)).toString('latin1')}`);
  }
  return found;
}

it('directory entries, in the host\'s order', () => {
  const bench = new SyscallBench();
  const at = bench.allocate(8192);
  const expected = native(217, 8192, `<${folder}`, '@', '=8192');
  const fd = bench.call('open', folder, O.RDONLY | O.DIRECTORY, 0);
  const count = bench.call('getdents64', fd, at, 8192);
  const ours = entries(bench.space.read(at, count));
  const theirs = entries(expected.bytes.subarray(0, expected.result));
  expect([...ours].sort()).toEqual([...theirs].sort());
  const names = (list: string[]): string[] => list.filter((entry) => !/ \.\.?$/.test(entry));
  expect(names(ours)).toEqual(names(theirs));
  expect(bench.call('getdents64', fd, at, 8192)).toBe(0);
  expect(bench.call('lseek', fd, 0, 0)).toBe(0);
  expect(bench.call('getdents64', fd, at, 24)).toBe(24);
  expect(bench.call('getdents64', fd, at, 10)).toBe(-22);
});
