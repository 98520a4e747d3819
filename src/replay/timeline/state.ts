/** What a program is at one time: threads with their registers, memory, mappings. Good until the timeline moves on. */
import type { GuestAddr } from '../../base/types.js';
import { visible } from '../../base/visible.js';
import { flagsFromState } from '../../ir/flags.js';
import { CC_OP, CC_X, CC_Y, CC_Z, DF, FLAG, FS_BASE, GPR, GS_BASE, MXCSR, OTHER_FLAGS, RIP, type Slot, XMM } from '../../layout/cpuState.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import { PROT } from '../../machine/mapping.js';
import { isViewAddress } from '../../layout/viewAddresses.js';
import type { View } from '../../machine/views.js';
import type { PlayedTask } from '../play/playedSpace.js';
import type { Position } from '../log/position.js';
import { FPU_NAMES, fpuRegister } from './fpuRegisters.js';

export interface Thread {
  /** As hits name it. */
  readonly id: number;
  readonly tid: number;
  readonly pid: number;
  readonly name: string;
}

/** A file that the recording has because the program mapped it. */
export interface StoredFile {
  readonly path: string;
  readonly size: number;
  /** Reads at `offset` into all of `target`; returns how many bytes there were. */
  read(offset: number, target: Uint8Array): number;
}

/** A line of /proc/PID/maps. */
export interface SeenMapping {
  readonly start: GuestAddr;
  /** Exclusive. */
  readonly end: GuestAddr;
  /** Bits: 1 read, 2 write, 4 execute. */
  readonly prot: number;
  readonly shared: boolean;
  /** A path, `[heap]`, `[stack]`, `[vdso]`, ... or '' for anonymous memory. */
  readonly name: string;
  readonly fileOffset: number;
  readonly device: number;
  readonly inode: number;
  /** Where the bytes came from; undefined for anonymous memory. */
  readonly file?: StoredFile;
}

/** What a program may do with memory. */
export interface Permissions {
  readonly read: boolean;
  readonly write: boolean;
  readonly execute: boolean;
}

interface SeenSpace {
  readonly machine: { readonly space: AddressSpace };
  wordsOf(task: PlayedTask): Uint32Array;
}

/** What a state is made of: a world that is played, or a part of one that runs. */
interface SeenWorld {
  readonly current: PlayedTask | undefined;
  readonly tasks: ReadonlyMap<number, PlayedTask>;
  readonly threads: ReadonlyMap<number, Omit<Thread, 'id'>>;
  readonly spaces: ReadonlyMap<number, SeenSpace>;
}

const ALWAYS_SET = FLAG.IF | 2;
const OTHER = FLAG.TF | FLAG.NT | FLAG.AC | FLAG.ID;
const NAMED: ReadonlyMap<string, Slot> = new Map([RIP, ...GPR, ...XMM, MXCSR, { ...FS_BASE, name: 'fs_base' }, { ...GS_BASE, name: 'gs_base' }].map((slot) => [slot.name, slot]));

/** The same in all programs for 64 bits. */
const SEGMENTS: ReadonlyMap<string, bigint> = new Map([['cs', 0x33n], ['ss', 0x2bn], ['ds', 0n], ['es', 0n], ['fs', 0n], ['gs', 0n]]);

/** All that `State.register` knows and that change. */
export const REGISTER_NAMES: readonly string[] = [...NAMED.keys(), 'eflags', ...FPU_NAMES];

export class State {
  constructor(
    private readonly world: SeenWorld,
    readonly position: Position,
  ) {}

  /** All there are, in the order in which they came to be. */
  get threads(): readonly Thread[] {
    return [...this.world.tasks.keys()].sort((a, b) => a - b).map((id) => this.thread(id));
  }

  /** The one that runs. */
  get current(): Thread | undefined {
    return this.world.current === undefined ? undefined : this.thread(this.world.current.id);
  }

  /** Undefined if there is no such thread or register. xmm registers are 128 bits, st0 to st7 are 80. */
  register(thread: number, name: string): bigint | undefined {
    const words = this.words(thread);
    if (words === undefined) return undefined;
    if (name === 'eflags') return BigInt(flagsOf(words));
    const slot = NAMED.get(name);
    return slot === undefined ? (SEGMENTS.get(name) ?? fpuRegister(words, name)) : valueOf(words, slot);
  }

  /** Memory as the thread sees it, whatever its permissions. Null if a byte is not there. */
  read(thread: number, address: GuestAddr, length: number): Uint8Array | null {
    return this.space(thread)?.peek(address, length) ?? null;
  }

  /** All of the thread's CPU state (layout/cpuState.ts), in place. */
  cpuWords(thread: number): Uint32Array | undefined {
    return this.words(thread);
  }

  /** Whether it is, or was, the address of a block that has addresses of its own (machine/views.ts). */
  isBlockAddress(thread: number, address: GuestAddr): boolean {
    return this.space(thread)?.hasViews === true && isViewAddress(address);
  }

  mappings(thread: number): readonly SeenMapping[] {
    return this.space(thread)?.mappings() ?? [];
  }

  mappingAt(thread: number, address: GuestAddr): SeenMapping | undefined {
    return this.space(thread)?.find(address);
  }

  /** Undefined where nothing is mapped. */
  permissions(thread: number, address: GuestAddr): Permissions | undefined {
    const prot = this.mappingAt(thread, address)?.prot;
    if (prot === undefined) return undefined;
    return { read: (prot & PROT.READ) !== 0, write: (prot & PROT.WRITE) !== 0, execute: (prot & PROT.EXEC) !== 0 };
  }

  /** The variable that has an address of its own (machine/views.ts) there, or on the same page. */
  variableNear(thread: number, address: GuestAddr): View | undefined {
    return this.space(thread)?.variableNear(address);
  }

  /** Of an address of a variable's own: where the variable is. Other addresses stay as they are. */
  plainAddress(thread: number, address: GuestAddr): GuestAddr {
    return this.space(thread)?.plainAddress(address) ?? address;
  }

  /** Other addresses of what may be a variable. */
  variableAddresses(thread: number, address: GuestAddr): readonly GuestAddr[] {
    return this.space(thread)?.variableAddresses(address) ?? [];
  }

  /** For the player's side. Debuggers and analyses ask the questions above. */
  space(thread: number): AddressSpace | undefined {
    return this.spaceOf(this.world.tasks.get(thread))?.machine.space;
  }

  private thread(id: number): Thread {
    const known = this.world.threads.get(id);
    return { id, tid: known?.tid ?? 0, pid: known?.pid ?? 0, name: visible(known?.name ?? '') };
  }

  private spaceOf(task: PlayedTask | undefined): SeenSpace | undefined {
    return task === undefined ? undefined : this.world.spaces.get(task.space);
  }

  private words(id: number): Uint32Array | undefined {
    const task = this.world.tasks.get(id);
    return task === undefined ? undefined : this.spaceOf(task)?.wordsOf(task);
  }
}

function word(words: Uint32Array, offset: number): bigint {
  return BigInt(words[offset / 4] as number);
}

function valueOf(words: Uint32Array, { offset, type }: Slot): bigint {
  if (type === 'i32') return word(words, offset);
  const low = word(words, offset) | (word(words, offset + 4) << 32n);
  return type === 'v128' ? low | (word(words, offset + 8) << 64n) | (word(words, offset + 12) << 96n) : low;
}

function flagsOf(words: Uint32Array): number {
  const [x, y, z] = [CC_X, CC_Y, CC_Z].map((slot) => valueOf(words, slot)) as [bigint, bigint, bigint];
  return flagsFromState(words[CC_OP.offset / 4] as number, x, y, z) | (words[DF.offset / 4] === 0 ? 0 : FLAG.DF) | ((words[OTHER_FLAGS.offset / 4] as number) & OTHER) | ALWAYS_SET;
}
