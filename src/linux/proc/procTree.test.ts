import { beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { O } from '../files/fileConstants.js';
import { SyscallBench } from '../testing/syscallBench.js';

let bench: SyscallBench;
beforeEach(() => {
  bench = new SyscallBench();
});

function contents(name: string): string {
  const fd = bench.call('open', name, O.RDONLY, 0);
  expect(fd).toBeGreaterThanOrEqual(0);
  const text = bench.readAll(fd);
  bench.call('close', fd);
  return text;
}

function readLink(name: string): string | number {
  const at = bench.allocate(4096);
  const size = bench.call('readlink', name, at, 4096);
  return size < 0 ? size : bench.text(at, size);
}

describe('/proc/self', () => {
  it('shows the guest, not us', () => {
    expect(contents('/proc/self/cmdline')).toBe('example\0--flag\0');
    expect(contents('/proc/self/environ')).toBe('A=1\0B=2\0');
    expect(contents('/proc/self/comm')).toBe('example\n');
    expect(contents(`/proc/${bench.process.pid}/comm`)).toBe('example\n');
    expect(contents(`//proc//self/./task/${bench.process.tid}/comm`)).toBe('example\n');
    expect(contents('/proc/self/status')).toMatch(/^Name:\texample\nUmask:\t0\d{3}\n/);
    expect(contents('/proc/self/stat').split(' ').length).toBe(52);
    expect(readLink('/proc/self/exe')).toBe('/usr/bin/example');
    expect(readLink('/proc/self/cwd')).toBe(process.cwd());
    expect(readLink('/proc/self/root')).toBe('/');
  });

  it('has maps in the format of Linux', () => {
    expect(contents('/proc/self/maps')).toBe(
      '10000000-10400000 rw-p 00000000 00:00 0 \n' +
      'ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n',
    );
    bench.call('brk', 0x2000_2000);
    const file = bench.call('open', process.execPath, O.RDONLY, 0);
    const at = bench.call('mmap', 0, 4096, 1, 2, file, 0);
    const line = contents('/proc/self/maps').split('\n').find((l) => l.startsWith(at.toString(16))) as string;
    expect(line).toMatch(/^[0-9a-f]{12}-[0-9a-f]{12} r--p 00000000 [0-9a-f]{2,}:[0-9a-f]{2,} \d+ +\//);
    expect(line.indexOf('/')).toBe(73);
  });

  it('reaches files through their descriptors', () => {
    const fd = bench.call('open', '/dev/null', O.RDWR, 0);
    expect(readLink(`/proc/self/fd/${fd}`)).toBe('/dev/null');
    expect(readLink(`/dev/fd/${fd}`)).toBe('/dev/null');
    expect(bench.call('open', `/proc/self/fd/${fd}`, O.RDONLY, 0)).toBe(fd + 1);
    expect(readLink('/proc/self/fd/977')).toBe(-E.NOENT);
    const stat = bench.allocate(144);
    expect(bench.call('lstat', `/proc/self/fd/${fd}`, stat)).toBe(0);
    expect(bench.space.readU32(stat + 24)).toBe(0o120700);
    expect(bench.call('stat', `/proc/self/fd/${fd}`, stat)).toBe(0);
    expect(bench.space.readU32(stat + 24)).toBe(0o020666);
  });

  it('lists descriptors', () => {
    const other = bench.call('open', '/dev/null', O.RDONLY, 0);
    const fd = bench.call('open', '/proc/self/fd', O.RDONLY | O.DIRECTORY, 0);
    // Other tests of this process may have left descriptors open.
    const at = bench.allocate(32768);
    const size = bench.call('getdents64', fd, at, 32768);
    const names: string[] = [];
    for (let i = 0; i < size; i += bench.space.readU16(at + i + 16)) {
      names.push(Buffer.from(bench.space.readCString(at + i + 19)).toString());
    }
    expect(names).toEqual(['.', '..', ...bench.process.files.numbers().map(String)]);
    expect(bench.call('openat', fd, String(other), O.RDONLY, 0)).toBeGreaterThan(fd);
  });

  it('cannot be written', () => {
    const fd = bench.call('open', '/proc/self/maps', O.WRONLY, 0);
    // Root may open it, and gets no further.
    if (process.getuid?.() === 0) expect(bench.call('write', fd, bench.allocate(1), 1)).toBe(-E.INVAL);
    else expect(fd).toBe(-E.ACCES);
    expect(bench.call('unlink', '/proc/self/maps')).toBe(-E.PERM);
  });
});

it('describes the processor that CPUID describes', () => {
  const text = contents('/proc/cpuinfo');
  expect(text).toMatch(/^flags\t\t: .* sse4_2 /m);
  expect(text).not.toMatch(/avx/);
});

it('leaves the rest of /proc to the host', () => {
  expect(contents('/proc/version')).toMatch(/^Linux version /);
});
