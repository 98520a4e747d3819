/**
 * A system call as strace would show it: `openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3`. Strings and
 * buffers come from the program's memory if that is at hand, and from what the kernel stored.
 */
import { GPR, RAX } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import { clockName, futexOperation, mapFlags, openFlags, protFlags, resultText, signalText, whenceName } from './numberNames.js';
import { quoted } from './quoted.js';
import { type ArgumentKind, SIGNATURES } from './syscallSignatures.js';

/** What can be seen of a program's memory; undefined where nothing is mapped. */
export type MemoryView = (address: number, length: number) => Uint8Array | undefined;

/** Bytes that the kernel stored. */
export interface StoredBytes {
  readonly address: number;
  readonly bytes: Uint8Array;
}

export interface SystemCall {
  readonly number: number;
  readonly name: string;
  readonly args: readonly bigint[];
}

const ARGUMENT_REGISTERS = ['rdi', 'rsi', 'rdx', 'r10', 'r8', 'r9'].map((name) => GPR.find((slot) => slot.name === name)?.offset ?? 0);
const RETURNS_ADDRESS: ReadonlySet<string> = new Set(['mmap', 'brk', 'mremap', 'shmat']);
/** The mode of a file that is not created says nothing. */
const O_CREATES = 0o100 | 0o20000000;
const AT_FDCWD = -100;
const PATH_MAX = 4096;
const PAGE = 4096;
const MOST_TEXTS = 32;

export function systemCallOf(registers: Uint8Array): SystemCall {
  const view = new DataView(registers.buffer, registers.byteOffset);
  const number = view.getInt32(RAX.offset, true);
  const args = ARGUMENT_REGISTERS.map((offset) => view.getBigUint64(offset, true));
  return { number, name: SYSCALL_NAMES[number] ?? `syscall_${number}`, args };
}

export class SyscallText {
  private readonly kinds: readonly ArgumentKind[];

  constructor(
    readonly call: SystemCall,
    private readonly memory: MemoryView | undefined,
  ) {
    this.kinds = SIGNATURES.get(call.name) ?? call.args.map(() => 'ptr');
  }

  /** While it waits, or if it never comes back. */
  unfinished(): string {
    return this.shown(undefined, []);
  }

  finished(result: number, stored: readonly StoredBytes[]): string {
    return `${this.shown(result, stored)} = ${resultText(result, RETURNS_ADDRESS.has(this.call.name))}`;
  }

  private shown(result: number | undefined, stored: readonly StoredBytes[]): string {
    const count = this.kinds[2] === 'open' || this.kinds[1] === 'open' ? this.withoutMode() : this.kinds.length;
    const args = this.kinds.slice(0, count).map((kind, i) => (kind === 'fill' ? this.filled(i, result, stored) : this.argument(kind, i)));
    return `${this.call.name}(${args.join(', ')})`;
  }

  private withoutMode(): number {
    const at = this.kinds.indexOf('open');
    return (this.low(at) & O_CREATES) === 0 ? at + 1 : this.kinds.length;
  }

  private argument(kind: Exclude<ArgumentKind, 'fill'>, i: number): string {
    switch (kind) {
      case 'fd':
      case 'int':
        return String(this.low(i));
      case 'dir':
        return this.low(i) === AT_FDCWD ? 'AT_FDCWD' : String(this.low(i));
      case 'size':
        return String(this.wide(i));
      case 'mode':
        return `0${this.low(i).toString(8)}`;
      case 'flags':
        return this.wide(i) === 0n ? '0' : `0x${(this.low(i) >>> 0).toString(16)}`;
      case 'ptr':
        return this.pointer(i);
      case 'path':
      case 'text':
        return this.textAt(this.address(i)) ?? this.pointer(i);
      case 'texts':
        return this.texts(i) ?? this.pointer(i);
      case 'data':
        return this.data(i) ?? this.pointer(i);
      case 'open':
        return openFlags(this.low(i));
      case 'prot':
        return protFlags(this.low(i));
      case 'map':
        return mapFlags(this.low(i));
      case 'signal':
        return signalText(this.low(i));
      case 'clock':
        return clockName(this.low(i));
      case 'futex':
        return futexOperation(this.low(i));
      case 'whence':
        return whenceName(this.low(i));
    }
  }

  private filled(i: number, result: number | undefined, stored: readonly StoredBytes[]): string {
    const address = this.address(i);
    const found = result !== undefined && result > 0 ? stored.find((s) => address >= s.address && address < s.address + s.bytes.length) : undefined;
    if (found === undefined || result === undefined) return this.pointer(i);
    return quoted(found.bytes.subarray(address - found.address).subarray(0, result));
  }

  private data(i: number): string | undefined {
    const length = Number(this.wide(i + 1));
    const most = Math.min(length, 65);
    const bytes = this.memory?.(this.address(i), most);
    return bytes === undefined ? undefined : quoted(bytes);
  }

  private texts(i: number): string | undefined {
    const shown: string[] = [];
    for (let at = this.address(i); ; at += 8) {
      const word = this.memory?.(at, 8);
      if (word === undefined) return undefined;
      const address = Number(new DataView(word.buffer, word.byteOffset).getBigUint64(0, true));
      if (address === 0) return `[${shown.join(', ')}]`;
      if (shown.length === MOST_TEXTS) return `[${shown.join(', ')}, ...]`;
      shown.push(this.textAt(address) ?? `0x${address.toString(16)}`);
    }
  }

  private textAt(address: number): string | undefined {
    const parts: number[] = [];
    for (let at = address; parts.length < PATH_MAX; at += PAGE - (at % PAGE)) {
      const bytes = this.memory?.(at, PAGE - (at % PAGE));
      if (bytes === undefined) return undefined;
      const end = bytes.indexOf(0);
      parts.push(...(end < 0 ? bytes : bytes.subarray(0, end)));
      if (end >= 0) return quoted(Uint8Array.from(parts), PATH_MAX);
    }
    return `${quoted(Uint8Array.from(parts))}`;
  }

  private pointer(i: number): string {
    const value = this.wide(i);
    return value === 0n ? 'NULL' : `0x${value.toString(16)}`;
  }

  private wide(i: number): bigint {
    return this.call.args[i] ?? 0n;
  }

  private low(i: number): number {
    return Number(BigInt.asIntN(32, this.wide(i)));
  }

  private address(i: number): number {
    return Number(this.wide(i));
  }
}
