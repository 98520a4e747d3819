/**
 * For tests: a process with real memory, the real host and no engine, whose system calls are made
 * directly. Strings and byte arrays given as arguments are put into guest memory.
 */
import { bytePath, bytePathFromBytes, bytesOfBytePath } from '../../base/bytePath.js';
import type { Host } from '../../host/host.js';
import { NodeHost } from '../../host/nodeHost.js';
import { GPR, RAX, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from '../../machine/addressSpace.js';
import { Cpu } from '../../machine/cpu.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import { guestAddr } from '../../base/types.js';
import { linuxSyscallTable } from '../linuxSyscalls.js';
import { ProcessMemory } from '../memory/processMemory.js';
import { Process } from '../process.js';
import { SignalState } from '../signals/signalState.js';
import { SyscallDispatcher } from '../syscallTable.js';
import { type GuestEngine, GuestMachine } from '../tasks/machine.js';
import { World } from '../world.js';
import { SYSCALL_NAMES, type SyscallName } from '../../base/syscallNames.js';

const ARENA = 0x1000_0000;
const ARENA_SIZE = 0x40_0000;
const ARGUMENTS: readonly Slot[] = [RDI, RSI, RDX, GPR[10] as Slot, GPR[8] as Slot, GPR[9] as Slot];

const NO_ENGINE: GuestEngine = {
  instructions: 0,
  run() {
    throw new TypeError('there is no engine here');
  },
  requestStop() {},
};

export type Argument = number | bigint | string | Uint8Array;

export class SyscallBench {
  readonly linear = new LinearMemory();
  readonly space = new AddressSpace(this.linear);
  readonly cpu = new Cpu(this.linear);
  readonly signals: SignalState;
  readonly process: Process;
  readonly world: World;
  private readonly dispatcher: SyscallDispatcher;
  private next = ARENA;

  constructor(readonly host: Host = new NodeHost()) {
    this.world = new World(host);
    const { clock } = this.world;
    this.signals = new SignalState(this.cpu, this.space, { now: () => clock.now() });
    const memory = new ProcessMemory(this.space, { brkStart: 0x2000_0000, mmapBase: 0x7fff_f7ff_f000 });
    const end = guestAddr(ARENA + ARENA_SIZE);
    this.space.map(anonymousMapping({ start: guestAddr(ARENA), end, prot: PROT.READ | PROT.WRITE }));
    this.process = new Process({
      memory,
      world: this.world,
      machine: new GuestMachine(this.cpu, this.space, NO_ENGINE),
      signals: this.signals,
      exe: bytePath('/usr/bin/example'),
      argv: [bytePath('example'), bytePath('--flag')],
      environment: [bytePath('A=1'), bytePath('B=2')],
      auxv: Uint8Array.from([6, 0, 0, 0]),
      verbose: false,
    });
    this.world.add(this.process);
    this.dispatcher = new SyscallDispatcher(linuxSyscallTable());
  }

  /** Room in guest memory, 16-byte aligned. */
  allocate(size: number): number {
    const at = this.next;
    this.next += Math.ceil(size / 16) * 16;
    return at;
  }

  /** Puts bytes, or a string with its NUL, into guest memory. */
  place(value: string | Uint8Array): number {
    const bytes = typeof value === 'string' ? bytesOfBytePath(`${value}\0`) : value;
    const at = this.allocate(bytes.length);
    this.space.write(at, bytes);
    return at;
  }

  /** The result of a system call that does not wait. */
  call(name: SyscallName, ...args: readonly Argument[]): number {
    const result = this.start(name, ...args);
    if (typeof result !== 'number') throw new TypeError(`${name} waits`);
    return result;
  }

  async wait(name: SyscallName, ...args: readonly Argument[]): Promise<number> {
    const result = this.start(name, ...args);
    if (result === 'noreturn') throw new TypeError(`${name} does not return`);
    return typeof result === 'number' ? result : this.world.waitFor(this.process.task, result);
  }

  start(name: SyscallName, ...args: readonly Argument[]): ReturnType<SyscallDispatcher['dispatch']> {
    this.cpu.setNum(RAX, SYSCALL_NAMES.indexOf(name));
    args.forEach((arg, i) => {
      const value = typeof arg === 'number' || typeof arg === 'bigint' ? arg : this.place(arg);
      if (typeof value === 'bigint') this.cpu.setBig(ARGUMENTS[i] as Slot, value);
      else this.cpu.setNum(ARGUMENTS[i] as Slot, value);
    });
    return this.dispatcher.dispatch(this.process);
  }

  text(address: number, length: number): string {
    return bytePathFromBytes(this.space.read(address, length));
  }

  /** Everything that read() gives from a descriptor. */
  readAll(fd: number): string {
    const buffer = this.allocate(4096);
    let text = '';
    for (;;) {
      const count = this.call('read', fd, buffer, 4096);
      if (count <= 0) return text;
      text += this.text(buffer, count);
    }
  }
}
