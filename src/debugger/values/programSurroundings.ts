/**
 * A recording where it stands, as expressions see it: a thread's view of the program, and the frame that is selected.
 */
import { UserError } from '../../base/errors.js';
import { guestAddr } from '../../base/types.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { type Section, SHF } from '../../elf/elfSections.js';
import { linkMapOrder } from '../program/linkMap.js';
import type { ProgramView } from '../program/programView.js';
import type { FoundSymbol } from '../program/symbols.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import { linkageSymbolName, shownSymbolName } from './symbolNames.js';
import type { CallResult, ArrangedCall, ProgramSymbol, SelectedFrame, Surroundings, NearSymbol } from './surroundings.js';

/** What a debugger adds to the program: somewhere to write to, and what only it knows. */
export interface DebuggerFacts {
  /** Writes are made when the evaluation is over: into a branch. Absent where nothing can be written. */
  writeMemory?(address: bigint, bytes: Uint8Array): void;
  writeRegister?(name: string, value: bigint): void;
  call?(request: ArrangedCall): CallResult | undefined;
  variable?(name: string): bigint | undefined;
  signalInfo?(): Uint8Array | undefined;
}

const NOT_WRITABLE = 'Nothing can be written here: this is a recording, and there is no branch.';

export class ProgramSurroundings implements Surroundings {
  readonly frame: SelectedFrame | undefined;
  private list: readonly Module[] | undefined;
  /** Written in this evaluation: later reads see it. */
  private readonly written: { readonly address: bigint; readonly bytes: Uint8Array }[] = [];
  private readonly registers = new Map<string, bigint>();
  readonly call?: (request: ArrangedCall) => CallResult | undefined;

  constructor(
    private readonly program: ProgramView | undefined,
    frame: VisibleFrame | undefined,
    private readonly facts: DebuggerFacts = {},
  ) {
    this.frame = frame === undefined ? undefined : { stack: frame.stack, call: Math.max(0, frame.stack.calls.length - 1 - frame.id.depth) };
    const { call } = facts;
    if (call !== undefined) this.call = (request) => call(request);
  }

  get modules(): readonly Module[] {
    this.list ??= this.program === undefined ? [] : inOrder(this.program);
    return this.list;
  }

  memory(address: bigint, size: number): Uint8Array | undefined {
    const bytes = this.program?.memory(address, size);
    if (bytes === undefined || this.written.length === 0) return bytes;
    const seen = bytes.slice();
    for (const write of this.written) {
      for (const [i, byte] of write.bytes.entries()) {
        const at = write.address + BigInt(i) - address;
        if (at >= 0n && at < BigInt(size)) seen[Number(at)] = byte;
      }
    }
    return seen;
  }

  register(name: string): bigint | undefined {
    return this.registers.get(name) ?? this.program?.register(name);
  }

  symbolAt(address: bigint): NearSymbol | undefined {
    return this.program === undefined ? undefined : symbolAt(this.program, address);
  }

  symbolNamed(name: string): ProgramSymbol | undefined {
    const [found] = this.program?.symbols.named(name) ?? [];
    return found === undefined ? undefined : symbolOf(found);
  }

  tlsAddress(module: Module, offset: bigint): bigint | undefined {
    return this.program?.tlsAddress(module, offset);
  }

  copyOf(name: string): bigint | undefined {
    return this.program?.linkage.copyOf(name);
  }

  writeMemory(address: bigint, bytes: Uint8Array): void {
    if (this.facts.writeMemory === undefined) throw new UserError(NOT_WRITABLE);
    this.facts.writeMemory(address, bytes);
    this.written.push({ address, bytes: bytes.slice() });
  }

  writeRegister(name: string, value: bigint): void {
    if (this.facts.writeRegister === undefined) throw new UserError(NOT_WRITABLE);
    this.facts.writeRegister(name, value);
    this.registers.set(name, value);
  }

  debuggerVariable(name: string): bigint | undefined {
    return this.facts.variable?.(name);
  }

  signalInfo(): Uint8Array | undefined {
    return this.facts.signalInfo?.();
  }
}

/** As the dynamic linker has them, the program first; then what it knows nothing of. */
function inOrder(program: ProgramView): Module[] {
  const known = linkMapOrder(program);
  return [...known, ...program.modules.all.filter((module) => !known.includes(module))];
}

/**
 * What lies at an address, as gdb names it. Of a variable that has addresses of its own (machine/views.ts), whose end
 * is the begin of no other: the variable.
 */
export function symbolAt(program: ProgramView, address: bigint): NearSymbol | undefined {
  const variable = program.state.variableNear(program.thread.id, guestAddr(Number(address)));
  if (variable === undefined) return plainSymbolAt(program, address);
  const found = plainSymbolAt(program, BigInt(variable.real));
  return found && { ...found, offset: found.offset + address - BigInt(variable.begin) };
}

function plainSymbolAt(program: ProgramView, address: bigint): NearSymbol | undefined {
  const near = program.symbols.at(address);
  if (near === undefined) return undefined;
  const { symbol, offset } = near;
  const section = sectionOf(symbol);
  const inFile = Number(address - symbol.module.bias);
  // A label without a size is good for the rest of its section only, and only in code.
  if (section !== undefined && (inFile < section.address || inFile >= section.address + section.size)) return undefined;
  if (symbol.size === 0 && ((section?.flags ?? 0) & SHF.EXECINSTR) === 0) return undefined;
  return { symbol: symbolOf(symbol), offset: BigInt(offset) };
}

/** `<main+4>`; undefined if there is no symbol. */
export function addressName(program: ProgramView, address: bigint): string | undefined {
  const near = symbolAt(program, address);
  return near === undefined ? undefined : `<${near.symbol.linkageName}${near.offset === 0n ? '' : `+${near.offset}`}>`;
}

function sectionOf({ module, address }: FoundSymbol): Section | undefined {
  const inFile = Number(address - module.bias);
  return module.file.elf.sections.find((section) => (section.flags & SHF.ALLOC) !== 0 && inFile >= section.address && inFile < section.address + section.size);
}

function symbolOf(found: FoundSymbol): ProgramSymbol {
  const { address, size, kind, module } = found;
  const start = kind === 'function' ? Number(address - module.bias) : undefined;
  return { name: shownSymbolName(found.name, start, module), linkageName: linkageSymbolName(found.name, start, module), address, size, kind: kind === 'function' ? 'code' : kind === 'threadLocal' ? 'threadLocal' : 'data', module };
}
