/** Identity, limits, time, terminals and the rest that has no file. */
import { beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { FS_BASE } from '../../layout/cpuState.js';
import { O } from '../files/fileConstants.js';
import { ERESTART } from '../signals/restart.js';
import { SIG } from '../../base/signalNumbers.js';
import { SyscallBench } from '../testing/syscallBench.js';

let bench: SyscallBench;
beforeEach(() => {
  bench = new SyscallBench();
});

describe('identity', () => {
  it('is the host\'s', () => {
    expect(bench.call('getpid')).toBe(process.pid);
    expect(bench.call('gettid')).toBe(process.pid);
    expect(bench.call('getuid')).toBe(process.getuid?.());
    expect(bench.call('set_tid_address', 0)).toBe(process.pid);
  });

  it('has a name and thread pointers', () => {
    const at = bench.allocate(16);
    expect(bench.call('prctl', 15, 'a-name-longer-than-fits')).toBe(0);
    expect(bench.call('prctl', 16, at)).toBe(0);
    expect(bench.text(at, 16)).toBe('a-name-longer-t\0');
    expect(bench.call('arch_prctl', 0x1002, 0x7fff_f7d8_a740)).toBe(0);
    expect(bench.cpu.num(FS_BASE)).toBe(0x7fff_f7d8_a740);
    expect(bench.call('arch_prctl', 0x1003, at)).toBe(0);
    expect(bench.space.readNum64(at)).toBe(0x7fff_f7d8_a740);
    expect(bench.call('arch_prctl', 0x1002, 0x8000_0000_0000_0000n)).toBe(-E.PERM);
  });
});

describe('limits', () => {
  it('can be lowered', () => {
    const at = bench.allocate(16);
    bench.space.writeNum64(at, 100);
    bench.space.writeNum64(at + 8, -1);
    expect(bench.call('setrlimit', 3, at)).toBe(0);
    bench.space.writeNum64(at, 0);
    expect(bench.call('getrlimit', 3, at)).toBe(0);
    expect([bench.space.readNum64(at), bench.space.readU64(at + 8)]).toEqual([100, 0xffff_ffff_ffff_ffffn]);
    bench.space.writeNum64(at + 8, 50);
    expect(bench.call('setrlimit', 3, at)).toBe(-E.INVAL);
    expect(bench.call('getrlimit', 16, at)).toBe(-E.INVAL);
  });
});

describe('time', () => {
  it('passes', async () => {
    const at = bench.allocate(16);
    bench.call('clock_gettime', 1, at);
    const before = bench.space.readNum64(at) * 1e9 + bench.space.readNum64(at + 8);
    bench.space.writeNum64(at, 0);
    bench.space.writeNum64(at + 8, 20_000_000);
    expect(await bench.wait('nanosleep', at, 0)).toBe(0);
    bench.call('clock_gettime', 1, at);
    const after = bench.space.readNum64(at) * 1e9 + bench.space.readNum64(at + 8);
    expect(after - before).toBeGreaterThanOrEqual(20e6);
    bench.call('clock_gettime', 0, at);
    expect(Math.abs(bench.space.readNum64(at) - Date.now() / 1000)).toBeLessThan(2);
    expect(bench.call('clock_gettime', 77, at)).toBe(-E.INVAL);
  });

  it('stores what is left of an interrupted sleep', async () => {
    const at = bench.allocate(16);
    bench.space.writeNum64(at, 10);
    setTimeout(() => bench.signals.raise(SIG.USR1), 5);
    expect(await bench.wait('nanosleep', at, at)).toBe(-ERESTART.RESTARTBLOCK);
    expect(bench.space.readNum64(at)).toBe(9);
  });
});

describe('other calls', () => {
  it('fill in randomness', () => {
    const at = bench.allocate(64);
    expect(bench.call('getrandom', at, 64, 0)).toBe(64);
    expect(bench.space.read(at, 64).some((byte) => byte !== 0)).toBe(true);
    expect(bench.call('getrandom', at, 64, 0x80)).toBe(-E.INVAL);
  });

  it('say that a file is no terminal', () => {
    const fd = bench.call('open', '/dev/null', O.RDWR, 0);
    expect(bench.call('ioctl', fd, 0x5401, bench.allocate(64))).toBe(-E.NOTTY);
  });

  it('know futexes of one thread', async () => {
    const at = bench.allocate(32);
    bench.space.writeU32(at, 7);
    expect(bench.call('futex', at, 128, 8, 0)).toBe(-E.AGAIN);
    expect(bench.call('futex', at, 129, 1)).toBe(0);
    bench.space.writeNum64(at + 24, 2_000_000);
    expect(await bench.wait('futex', at, 128, 7, at + 16)).toBe(-E.TIMEDOUT);
  });

  it('that we lack return ENOSYS', () => {
    expect(bench.call('ptrace', 0)).toBe(-E.NOSYS);
    expect(bench.call('wait4', -1, 0, 0, 0)).toBe(-E.CHILD);
  });

  it('end the process', () => {
    expect(bench.start('exit_group', 0x1ff)).toBe('noreturn');
    expect(bench.process.exitStatus).toEqual({ kind: 'exited', code: 0xff });
  });

  it('count and remember', () => {
    const counter = bench.call('eventfd2', 3, O.NONBLOCK);
    const at = bench.allocate(8);
    expect(bench.call('read', counter, at, 8)).toBe(8);
    expect(bench.space.readNum64(at)).toBe(3);
    expect(bench.call('read', counter, at, 8)).toBe(-E.AGAIN);
    const memory = bench.call('memfd_create', 'name', 0);
    expect(bench.call('write', memory, 'text', 4)).toBe(4);
    expect(bench.call('ftruncate', memory, 10)).toBe(0);
    expect(bench.call('lseek', memory, 0, 0)).toBe(0);
    expect(bench.readAll(memory)).toBe('text\0\0\0\0\0\0');
  });
});

describe('sockets', () => {
  it('are told from other files', () => {
    const fd = bench.call('open', '/dev/null', O.RDWR, 0);
    const at = bench.allocate(32);
    bench.space.writeU32(at, 16);
    expect(bench.call('getpeername', fd, at + 16, at)).toBe(-E.NOTSOCK);
    expect(bench.call('getpeername', 99, at + 16, at)).toBe(-E.BADF);
  });

  it('come in pairs', () => {
    const at = bench.allocate(32);
    expect(bench.call('socketpair', 1, 1 | O.NONBLOCK, 0, at)).toBe(0);
    const [one, other] = [bench.space.readI32(at), bench.space.readI32(at + 4)];
    expect(bench.call('read', one, at, 4)).toBe(-E.AGAIN);
    expect(bench.call('sendto', other, 'word', 4, 0, 0, 0)).toBe(4);
    expect(bench.call('recvfrom', one, at, 8, 0, 0)).toBe(4);
    expect(bench.text(at, 4)).toBe('word');
    expect(bench.call('close', other)).toBe(0);
    expect(bench.call('read', one, at, 4)).toBe(0);
    expect(bench.call('write', one, 'x', 1)).toBe(-E.PIPE);
  });
});
