import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { AT_FDCWD, O } from '../files/fileConstants.js';
import { SyscallBench } from '../testing/syscallBench.js';

let folder: string;
let bench: SyscallBench;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'directories-')));
  bench = new SyscallBench();
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

function cwd(): string {
  const at = bench.allocate(4096);
  const size = bench.call('getcwd', at, 4096);
  return size < 0 ? `error ${size}` : bench.text(at, size - 1);
}

function readLink(name: string): string | number {
  const at = bench.allocate(256);
  const size = bench.call('readlink', name, at, 256);
  return size < 0 ? size : bench.text(at, size);
}

describe('the working directory', () => {
  it('starts where we are and moves', () => {
    expect(cwd()).toBe(process.cwd());
    expect(bench.call('mkdir', `${folder}/sub`, 0o755)).toBe(0);
    expect(bench.call('chdir', `${folder}/sub`)).toBe(0);
    expect(cwd()).toBe(`${folder}/sub`);
    expect(bench.call('chdir', '..')).toBe(0);
    expect(cwd()).toBe(folder);
    expect(bench.call('open', 'made', O.CREAT | O.WRONLY, 0o600)).toBe(3);
    expect(fs.existsSync(`${folder}/made`)).toBe(true);
    expect(process.cwd()).not.toBe(folder);
    expect(bench.call('chdir', 'made')).toBe(-E.NOTDIR);
    expect(bench.call('chdir', 'missing')).toBe(-E.NOENT);
    const fd = bench.call('open', 'sub', O.RDONLY | O.DIRECTORY, 0);
    expect(bench.call('fchdir', fd)).toBe(0);
    expect(cwd()).toBe(`${folder}/sub`);
    expect(bench.call('rmdir', `${folder}/sub`)).toBe(0);
    expect(cwd()).toBe(`error ${-E.NOENT}`);
  });

  it('needs room for its name', () => {
    expect(bench.call('getcwd', bench.allocate(16), 1)).toBe(-E.RANGE);
  });
});

describe('names', () => {
  it('are bytes', () => {
    bench.call('chdir', folder);
    expect(bench.call('open', 'caf\xe9\xff', O.CREAT | O.WRONLY, 0o600)).toBe(3);
    expect(fs.readdirSync(folder, 'buffer')).toEqual([Buffer.from('caf\xe9\xff', 'latin1')]);
    expect(bench.call('unlink', 'caf\xe9\xff')).toBe(0);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('can be linked, renamed and removed', () => {
    fs.writeFileSync(`${folder}/one`, '1');
    const dirFd = bench.call('open', folder, O.RDONLY | O.DIRECTORY, 0);
    expect(bench.call('linkat', dirFd, 'one', dirFd, 'two', 0)).toBe(0);
    expect(bench.call('renameat2', dirFd, 'one', dirFd, 'two', 1)).toBe(-E.EXIST);
    expect(bench.call('renameat', dirFd, 'two', AT_FDCWD, `${folder}/three`)).toBe(0);
    expect(bench.call('symlinkat', 'three', dirFd, 'link')).toBe(0);
    expect(readLink(`${folder}/link`)).toBe('three');
    expect(readLink(`${folder}/three`)).toBe(-E.INVAL);
    expect(bench.call('linkat', dirFd, 'link', dirFd, 'hard', 0x400)).toBe(0);
    expect(fs.lstatSync(`${folder}/hard`).isFile()).toBe(true);
    expect(bench.call('unlinkat', dirFd, 'one', 0x200)).toBe(-E.NOTDIR);
    expect(bench.call('unlinkat', dirFd, 'one', 0)).toBe(0);
    expect(fs.readdirSync(folder).sort()).toEqual(['hard', 'link', 'three']);
    expect(bench.call('openat', dirFd, '', O.RDONLY, 0)).toBe(-E.NOENT);
    expect(bench.call('rmdir', folder)).toBe(-E.NOTEMPTY);
  });
});

describe('permissions', () => {
  it('follow the process\'s own mask', () => {
    expect(bench.call('umask', 0o027)).toBe(bench.host.files.initialUmask());
    bench.call('open', `${folder}/file`, O.CREAT | O.WRONLY, 0o666);
    bench.call('mkdir', `${folder}/directory`, 0o777);
    expect(fs.statSync(`${folder}/file`).mode & 0o777).toBe(0o640);
    expect(fs.statSync(`${folder}/directory`).mode & 0o777).toBe(0o750);
    expect(bench.call('chmod', `${folder}/file`, 0o7777)).toBe(0);
    expect(fs.statSync(`${folder}/file`).mode & 0o7777).toBe(0o7777);
    expect(bench.call('fchmod', 3, 0o600)).toBe(0);
    expect(fs.statSync(`${folder}/file`).mode & 0o7777).toBe(0o600);
    expect(bench.call('access', `${folder}/file`, 6)).toBe(0);
    expect(bench.call('access', `${folder}/file`, 1)).toBe(-E.ACCES);
    expect(bench.call('access', `${folder}/file`, 9)).toBe(-E.INVAL);
  });

  it('set times, keep them, or take now', () => {
    fs.writeFileSync(`${folder}/file`, '');
    const times = bench.allocate(32);
    [1000, 500_000_000, 2000, 0x3fff_fffe].forEach((n, i) => bench.space.writeNum64(times + i * 8, n));
    fs.utimesSync(`${folder}/file`, 5, 6);
    expect(bench.call('utimensat', AT_FDCWD, `${folder}/file`, times, 0)).toBe(0);
    expect(fs.statSync(`${folder}/file`).atimeMs).toBe(1_000_500);
    expect(fs.statSync(`${folder}/file`).mtimeMs).toBe(6000);
    expect(bench.call('utimensat', AT_FDCWD, `${folder}/file`, 0, 0)).toBe(0);
    expect(Math.abs(fs.statSync(`${folder}/file`).mtimeMs - Date.now())).toBeLessThan(5000);
  });
});
