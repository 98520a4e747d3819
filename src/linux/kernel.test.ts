import { describe, expect, it } from 'vitest';
import { E } from '../base/errno.js';
import { guestAddr } from '../base/types.js';
import { GPR, RAX, RDI, RDX, RSI, type Slot } from '../layout/cpuState.js';
import { VECTOR, type Stop } from '../machine/stop.js';
import type { GuestEngine } from './tasks/machine.js';
import type { ExitStatus } from './process.js';
import { SIG } from '../base/signalNumbers.js';
import { SYSCALL_NAMES, type SyscallName } from '../base/syscallNames.js';
import { SyscallBench } from './testing/syscallBench.js';

const ARGUMENTS = [RDI, RSI, RDX, GPR[10] as Slot];

/** An "engine" that plays a script: each step may set registers and says how the run stopped. */
class ScriptedEngine implements GuestEngine {
  instructions = 0;
  private step = 0;

  constructor(private readonly steps: readonly (() => Stop)[]) {}

  run(): Stop {
    const step = this.steps[this.step++];
    if (step === undefined) throw new RangeError('the script is over');
    return step();
  }

  requestStop(): void {}
}

function run(bench: SyscallBench, engine: GuestEngine): Promise<ExitStatus> {
  bench.process.machine.engine = engine;
  return bench.world.run();
}

function call(bench: SyscallBench, name: SyscallName, ...args: readonly number[]): () => Stop {
  return () => {
    bench.cpu.setNum(RAX, SYSCALL_NAMES.indexOf(name));
    args.forEach((arg, i) => bench.cpu.setNum(ARGUMENTS[i] as Slot, arg));
    return { kind: 'syscall' };
  };
}

/** Looks at rax between two steps. */
function expectRax(bench: SyscallBench, value: number, then: () => Stop): () => Stop {
  return () => {
    expect(bench.cpu.signed(RAX)).toBe(value);
    return then();
  };
}

describe('the loop', () => {
  it('answers system calls until the process exits', async () => {
    const bench = new SyscallBench();
    const engine = new ScriptedEngine([
      call(bench, 'getpid'),
      expectRax(bench, process.pid, call(bench, 'close', 99)),
      expectRax(bench, -E.BADF, () => ({ kind: 'budget' })),
      call(bench, 'exit_group', 42),
    ]);
    expect(await run(bench, engine)).toEqual({ kind: 'exited', code: 42 });
  });

  it('waits for calls that wait', async () => {
    const bench = new SyscallBench();
    const at = bench.allocate(16);
    bench.space.writeNum64(at + 8, 3_000_000);
    const engine = new ScriptedEngine([
      call(bench, 'nanosleep', at, 0),
      expectRax(bench, 0, call(bench, 'exit', 1)),
    ]);
    expect(await run(bench, engine)).toEqual({ kind: 'exited', code: 1 });
  });

  it.each([
    ['a bad access', { kind: 'pageFault', address: 0x10n, access: 'read', mapped: false }, SIG.SEGV],
    ['a division by zero', { kind: 'trap', vector: VECTOR.DE }, SIG.FPE],
    ['an unknown instruction', { kind: 'unknownInstruction', at: guestAddr(0x1000), bytes: new Uint8Array(1), text: 'x' }, SIG.ILL],
  ] as const)('ends by the signal of %s', async (_, stop, signal) => {
    const bench = new SyscallBench();
    bench.host.notify = () => undefined;
    const engine = new ScriptedEngine([() => stop]);
    const status = await run(bench, engine);
    expect(status).toMatchObject({ kind: 'signaled', signal, coreDumped: false, info: { signal } });
  });

  it('ends a call that a deadly signal interrupts', async () => {
    const bench = new SyscallBench();
    setTimeout(() => bench.signals.raise(SIG.ALRM), 5);
    const status = await run(bench, new ScriptedEngine([call(bench, 'pause')]));
    expect(status).toMatchObject({ kind: 'signaled', signal: SIG.ALRM, coreDumped: false });
  });

  it('ends a program that waits for itself, and says what for', async () => {
    const bench = new SyscallBench();
    const fds = bench.allocate(8);
    bench.call('pipe', fds);
    const engine = new ScriptedEngine([call(bench, 'read', bench.space.readI32(fds), fds, 8)]);
    expect(await run(bench, engine)).toEqual({ kind: 'exited', code: 124 });
    expect(bench.world.ending?.reason).toBe('deadlock');
    expect(bench.world.ending?.tasks).toEqual([
      expect.stringMatching(/^thread \d+ \(example\) waits for read from pipe:\[\d+\] \[read\], in 0x/),
    ]);
  });

  it('names what is missing once, if asked', async () => {
    const bench = new SyscallBench();
    const lines: string[] = [];
    bench.host.notify = (line) => void lines.push(line);
    Object.assign(bench.process, { verbose: true });
    const engine = new ScriptedEngine([
      call(bench, 'ptrace'), call(bench, 'ptrace'), expectRax(bench, -E.NOSYS, call(bench, 'exit', 0)),
    ]);
    await run(bench, engine);
    expect(lines).toEqual(['culprit: system call 101 (ptrace) is not supported']);
  });
});
