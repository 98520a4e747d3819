/**
 * The stubs through which modules call each other's functions (.plt), where they lead, and the dynamic linker's own
 * code.
 */
import { SHT } from '../../elf/elfSections.js';
import type { LoadedModule, ModuleList } from './modules.js';
import type { Symbols } from './symbols.js';

const STUB_SECTIONS = ['.plt', '.plt.sec', '.plt.got'];
const RELOCATION = 24;
/** Types of relocations: pointers to functions of that name, and to what a resolver returns. */
const [COPY, GLOB_DAT, JUMP_SLOT, IRELATIVE] = [5, 6, 7, 37];
const SYMBOL = 24;
const STUB = 16;
const SHORT_STUB = 8;
const JUMP_MEMORY = [0xff, 0x25];

interface LinkageMemory {
  readonly modules: ModuleList;
  readonly symbols: Symbols;
  memory(address: bigint, size: number): Uint8Array | undefined;
}

export class Linkage {
  constructor(private readonly program: LinkageMemory) {}

  /** In a stub, or in the dynamic linker, which finds the function at the first call. */
  isLinking(address: bigint): boolean {
    return this.isStub(address) || this.isLinker(this.program.modules.at(address));
  }

  isStub(address: bigint): boolean {
    const module = this.program.modules.at(address);
    if (module === undefined) return false;
    const inFile = Number(address - module.bias);
    return STUB_SECTIONS.some((name) => {
      const section = module.file.elf.section(name);
      return section !== undefined && inFile >= section.address && inFile < section.address + section.size;
    });
  }

  /** The function that a stub leads to: by its pointer, unless that has not been set yet. */
  targetOf(stub: bigint): bigint | undefined {
    const module = this.program.modules.at(stub);
    const slot = module === undefined ? undefined : slotOf(this.program.memory(stub, STUB), Number(stub - module.bias));
    const bytes = module === undefined || slot === undefined ? undefined : this.program.memory(BigInt(slot) + module.bias, 8);
    const target = bytes === undefined ? 0n : new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
    if (target !== 0n && !this.isLinking(target)) return target;
    const name = this.nameOf(stub);
    if (name === undefined) return undefined;
    return this.program.symbols.named(name).find((symbol) => symbol.kind === 'function' && symbol.isGlobal)?.address;
  }

  /** The name of the function that a stub leads to: by the relocation of the pointer that it jumps through. */
  nameOf(stub: bigint): string | undefined {
    const module = this.program.modules.at(stub);
    if (module === undefined || !this.isStub(stub)) return undefined;
    const slot = slotOf(this.program.memory(stub, STUB), Number(stub - module.bias));
    return slot === undefined ? undefined : relocationName(module, slot);
  }

  /**
   * What an indirect function (memcpy, strlen: chosen by the CPU) is in this process: by the pointers that were set to
   * it, of modules that use its name, or its resolver.
   */
  indirectTargets(name: string, resolver: bigint): bigint[] {
    const targets = new Set<bigint>();
    for (const module of this.program.modules.all) {
      for (const { slot, addend, type, symbol } of relocationsOf(module)) {
        const isMeant = type === IRELATIVE ? addend + module.bias === resolver : (type === JUMP_SLOT || type === GLOB_DAT) && symbolName(module, symbol) === name;
        const target = isMeant ? this.pointer(slot + module.bias) : undefined;
        if (target !== undefined && target !== resolver && !this.isLinking(target) && this.program.modules.at(target) !== undefined) targets.add(target);
      }
    }
    return [...targets];
  }

  /**
   * Where the program has a library's variable that it accesses directly: the library uses that one, too, in place of
   * its own.
   */
  copyOf(name: string): bigint | undefined {
    const { main } = this.program.modules;
    if (main === undefined) return undefined;
    for (const { slot, type, symbol } of relocationsOf(main)) if (type === COPY && symbolName(main, symbol) === name) return slot + main.bias;
    return undefined;
  }

  private pointer(address: bigint): bigint | undefined {
    const bytes = this.program.memory(address, 8);
    return bytes === undefined ? undefined : new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  }

  private isLinker(module: LoadedModule | undefined): boolean {
    const { main } = this.program.modules;
    const interpreter = main?.file.elf.interpreter;
    if (module === undefined || module === main || interpreter === undefined) return false;
    return baseName(interpreter) === baseName(module.path) || /\/ld-linux[^/]*\.so[.\d]*$|\/ld-[\d.]+\.so$/.test(module.path);
  }
}

/** What gdb calls a stub, `puts@plt`, and where it begins (without bias). */
export function stubAt(module: LoadedModule, inFile: number): { readonly name: string; readonly start: number; readonly size: number } | undefined {
  const { elf, readCode } = module.file;
  for (const name of STUB_SECTIONS) {
    const section = elf.section(name);
    if (section === undefined || inFile < section.address || inFile >= section.address + section.size) continue;
    const size = name === '.plt.got' ? SHORT_STUB : STUB;
    const start = inFile - ((inFile - section.address) % size);
    const slot = slotOf(readCode(start, size), start);
    const target = slot === undefined ? undefined : relocationName(module, slot);
    return target === undefined || target === '' ? undefined : { name: `${target}@plt`, start, size };
  }
  return undefined;
}

/** Where the pointer is (without bias) that code at `address` jumps through, after endbr64 and bnd. */
function slotOf(code: Uint8Array | undefined, address: number): number | undefined {
  if (code === undefined) return undefined;
  for (let at = 0; at + 6 <= code.length && at <= 6; at++) {
    if (code[at] !== JUMP_MEMORY[0] || code[at + 1] !== JUMP_MEMORY[1]) continue;
    return address + at + 6 + new DataView(code.buffer, code.byteOffset, code.byteLength).getInt32(at + 2, true);
  }
  return undefined;
}

interface Relocation {
  /** Where it applies, without bias. */
  readonly slot: bigint;
  readonly type: number;
  /** Number in .dynsym. */
  readonly symbol: number;
  readonly addend: bigint;
}

function* relocationsOf({ file }: LoadedModule): Generator<Relocation> {
  for (const section of file.elf.sections) {
    if (section.type !== SHT.RELA) continue;
    const bytes = file.elf.contents(section);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + RELOCATION <= bytes.length; at += RELOCATION) {
      yield { slot: view.getBigUint64(at, true), type: view.getUint32(at + 8, true), symbol: view.getUint32(at + 12, true), addend: view.getBigInt64(at + 16, true) };
    }
  }
}

/** Pointers (without bias) that are set to functions of these names. */
export function* relocationsNamed(module: LoadedModule, names: ReadonlySet<string>): Generator<number> {
  for (const { slot, type, symbol } of relocationsOf(module)) {
    if (type !== JUMP_SLOT && type !== GLOB_DAT) continue;
    const name = symbolName(module, symbol);
    if (name !== undefined && names.has(name)) yield Number(slot);
  }
}

function relocationName(module: LoadedModule, slot: number): string | undefined {
  const { file } = module;
  if (file.relocated === undefined) {
    const relocated = new Map<number, number>();
    for (const { slot: at, symbol } of relocationsOf(module)) if (!relocated.has(Number(at))) relocated.set(Number(at), symbol);
    file.relocated = relocated;
  }
  const symbol = file.relocated.get(slot);
  return symbol === undefined ? undefined : symbolName(module, symbol);
}

function symbolName({ file }: LoadedModule, index: number): string | undefined {
  const [symbols, strings] = [file.elf.section('.dynsym'), file.elf.section('.dynstr')];
  if (symbols === undefined || strings === undefined) return undefined;
  const [bytes, names] = [file.elf.contents(symbols), file.elf.contents(strings)];
  if (index * SYMBOL + 4 > bytes.length) return undefined;
  const offset = new DataView(bytes.buffer, bytes.byteOffset).getUint32(index * SYMBOL, true);
  const end = names.indexOf(0, offset);
  return new TextDecoder().decode(names.subarray(offset, end < 0 ? undefined : end));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
