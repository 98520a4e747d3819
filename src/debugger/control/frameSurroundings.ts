/**
 * The program around a frame, as expressions need it. What an expression writes is kept here, and seen by later reads: whoever
 * evaluated hands it to the debugger afterwards (`Debugger.write`), which begins a branch for it.
 */
import { UserError } from '../../base/errors.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { SHF } from '../../elf/elfSections.js';
import type { MemoryRange } from '../../replay/timeline/conditions.js';
import { linkMapOrder } from '../program/linkMap.js';
import type { ProgramView } from '../program/programView.js';
import type { FoundSymbol } from '../program/symbols.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import { demangle } from '../values/demangle/demangle.js';
import type { CallResult, FunctionCall, ProgramSymbol, SelectedFrame, Surroundings, SymbolOffset } from '../values/surroundings.js';

export type PendingWrite =
  | { readonly kind: 'memory'; readonly address: bigint; readonly bytes: Uint8Array }
  | { readonly kind: 'register'; readonly name: string; readonly value: bigint };

export interface SurroundingsOptions {
  /** Numbers that the debugger keeps, by name. */
  variable?(name: string): bigint | undefined;
  /** siginfo_t of the signal that the thread stopped for. */
  readonly signalInfo?: Uint8Array | undefined;
  /** Results of calls that have been made in a branch already. */
  call?(request: FunctionCall): CallResult | undefined;
}

export class FrameSurroundings implements Surroundings {
  readonly frame: SelectedFrame | undefined;
  readonly modules: readonly Module[];
  readonly writes: PendingWrite[] = [];
  readonly call?: (request: FunctionCall) => CallResult | undefined;
  /** Told of all memory that is read. */
  onRead: ((range: MemoryRange) => void) | undefined;

  constructor(
    readonly program: ProgramView,
    frame: VisibleFrame | undefined,
    private readonly options: SurroundingsOptions = {},
  ) {
    this.frame = frame === undefined || frame.kind === 'signal' ? undefined : { stack: frame.stack, call: frame.call };
    const ordered = linkMapOrder(program);
    this.modules = [...ordered, ...program.modules.all.filter((module) => !ordered.includes(module))];
    if (options.call !== undefined) this.call = options.call;
  }

  memory(address: bigint, size: number): Uint8Array | undefined {
    this.onRead?.({ start: Number(address), end: Number(address) + size });
    const bytes = this.program.memory(address, size);
    if (bytes === undefined || this.writes.length === 0) return bytes;
    const changed = new Uint8Array(bytes);
    for (const write of this.writes) {
      if (write.kind !== 'memory') continue;
      write.bytes.forEach((byte, i) => {
        const at = Number(write.address - address) + i;
        if (at >= 0 && at < changed.length) changed[at] = byte;
      });
    }
    return changed;
  }

  register(name: string): bigint | undefined {
    const written = this.writes.findLast((write) => write.kind === 'register' && write.name === name);
    return written?.kind === 'register' ? written.value : this.program.register(name);
  }

  symbolAt(address: bigint): SymbolOffset | undefined {
    const near = this.program.symbols.at(address);
    if (near === undefined) return undefined;
    const { symbol, offset } = near;
    const { elf } = symbol.module.file;
    const inFile = Number(address - symbol.module.bias);
    const section = elf.sections.find((s) => (s.flags & SHF.ALLOC) !== 0 && inFile >= s.address && inFile < s.address + s.size);
    // A label without a size is good for the rest of its section only, and only in code.
    if (symbol.size === 0 && ((section?.flags ?? 0) & SHF.EXECINSTR) === 0) return undefined;
    return { symbol: programSymbol(symbol), offset: BigInt(offset) };
  }

  symbolNamed(name: string): ProgramSymbol | undefined {
    const [first] = this.program.symbols.named(name);
    return first === undefined ? undefined : programSymbol(first);
  }

  tlsAddress(module: Module, offset: bigint): bigint | undefined {
    return this.program.tlsAddress(module, offset);
  }

  writeMemory(address: bigint, bytes: Uint8Array): void {
    if (this.program.memory(address, bytes.length) === undefined) throw new UserError(`Cannot access memory at address 0x${address.toString(16)}`);
    this.writes.push({ kind: 'memory', address, bytes: new Uint8Array(bytes) });
  }

  writeRegister(name: string, value: bigint): void {
    if (this.program.register(name) === undefined) throw new UserError(`no register is called ${name}`);
    this.writes.push({ kind: 'register', name, value });
  }

  debuggerVariable(name: string): bigint | undefined {
    return this.options.variable?.(name);
  }

  signalInfo(): Uint8Array | undefined {
    return this.options.signalInfo;
  }
}

function programSymbol({ name, address, size, module, kind }: FoundSymbol): ProgramSymbol {
  const kinds = { function: 'code', variable: 'data', threadLocal: 'threadLocal', other: 'code', indirectFunction: 'indirectFunction' } as const;
  return { name: demangle(name), address, size, kind: kinds[kind], module };
}
