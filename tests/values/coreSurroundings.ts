/** A stopped program out of a core file, for expressions: what the debugger does with a recording. */
import { readFileSync } from 'node:fs';
import { CallFrames } from '../../src/dwarf/callFrames.js';
import { DebugInfo } from '../../src/dwarf/debugInfo.js';
import { StackFrame, type Module, type StoppedProgram } from '../../src/dwarf/stackFrame.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { shownSymbolName } from '../../src/debugger/values/symbolNames.js';
import { dwarfNumber, registerName } from '../../src/debugger/values/registers.js';
import type { ProgramSymbol, SelectedFrame, Surroundings, NearSymbol } from '../../src/debugger/values/surroundings.js';
import { sectionsOf } from '../dwarf/compiled.js';
import { CoreFile } from './coreFile.js';

interface Loaded {
  readonly path: string;
  readonly elf: ElfFile;
  readonly module: Module;
  readonly start: bigint;
  readonly end: bigint;
}

const STT_TLS = 6;
const STT_IFUNC = 10;
const STT_FUNC = 2;
const SHF_EXEC = 4;

export class CoreProgram implements Surroundings, StoppedProgram {
  readonly modules: readonly Module[];
  private readonly loaded: readonly Loaded[];
  private readonly written: { readonly address: bigint; readonly bytes: Uint8Array }[] = [];
  private readonly core: CoreFile;
  private selected: SelectedFrame;

  constructor(
    path: string,
    private readonly programPath: string,
  ) {
    this.core = new CoreFile(path);
    this.loaded = this.load();
    this.modules = this.loaded.map(({ module }) => module);
    const innermost = StackFrame.innermost(this, (n) => this.register(registerName(n) ?? ''));
    this.selected = { stack: innermost, call: 0 };
  }

  get frame(): SelectedFrame {
    return this.selected;
  }

  /** The frame so many calls up, inlined ones counted. */
  select(level: number): void {
    let stack: StackFrame | undefined = StackFrame.innermost(this, (n) => this.register(registerName(n) ?? ''));
    let left = level;
    for (; stack !== undefined; stack = stack.caller()) {
      const count = Math.max(1, stack.calls.length);
      if (left < count) {
        this.selected = { stack, call: left };
        return;
      }
      left -= count;
    }
    throw new Error(`no frame ${level}`);
  }

  register(name: string): bigint | undefined {
    return this.core.registers.get(name);
  }

  memory(address: bigint, size: number): Uint8Array | undefined {
    const bytes = this.core.memory(address, size) ?? this.fileBytes(address, size);
    if (bytes === undefined || this.written.length === 0) return bytes;
    const changed = new Uint8Array(bytes);
    for (const write of this.written) {
      write.bytes.forEach((byte, i) => {
        const at = Number(write.address - address) + i;
        if (at >= 0 && at < changed.length) changed[at] = byte;
      });
    }
    return changed;
  }

  /** Code is not in core files. */
  private fileBytes(address: bigint, size: number): Uint8Array | undefined {
    const loaded = this.loaded.find(({ start, end }) => address >= start && address < end);
    const at = loaded === undefined ? 0 : Number(address - loaded.module.bias);
    const segment = loaded?.elf.loads.find((s) => at >= s.address && at + size <= s.address + s.fileSize);
    return segment === undefined ? undefined : loaded?.elf.segmentBytes(segment).subarray(at - segment.address, at - segment.address + size);
  }

  moduleAt(address: bigint): Module | undefined {
    return this.loaded.find(({ start, end }) => address >= start && address < end)?.module;
  }

  symbolAt(address: bigint): NearSymbol | undefined {
    const loaded = this.loaded.find(({ start, end }) => address >= start && address < end);
    const found = loaded?.elf.symbols.lookup(Number(address - loaded.module.bias));
    if (loaded === undefined || found === undefined) return undefined;
    const section = loaded.elf.sections[found.symbol.section];
    const at = found.symbol.address + found.offset;
    // A label without a size is good for the rest of its section only, and only in code.
    if (section !== undefined && (at < section.address || at >= section.address + section.size)) return undefined;
    if (found.symbol.size === 0 && ((section?.flags ?? 0) & SHF_EXEC) === 0) return undefined;
    return { symbol: this.symbol(loaded, found.symbol), offset: BigInt(found.offset) };
  }

  symbolNamed(name: string): ProgramSymbol | undefined {
    for (const loaded of this.loaded) {
      const found = loaded.elf.symbols.find(name);
      if (found !== undefined) return this.symbol(loaded, found);
    }
    return undefined;
  }

  tlsAddress(module: Module, offset: bigint): bigint | undefined {
    const loaded = this.loaded.find((l) => l.module === module);
    const segment = loaded?.elf.segments.find((s) => s.type === 7);
    if (segment === undefined || module !== this.modules[0]) return undefined;
    const align = segment.align || 1;
    return (this.register('fs_base') ?? 0n) - BigInt(Math.ceil(segment.memorySize / align) * align) + offset;
  }

  writeMemory(address: bigint, bytes: Uint8Array): void {
    this.written.push({ address, bytes: new Uint8Array(bytes) });
  }

  writeRegister(name: string, value: bigint): void {
    if (dwarfNumber(name) === undefined && !this.core.registers.has(name)) throw new Error(`no register ${name}`);
    this.core.registers.set(name, value);
    this.select(0);
  }

  debuggerVariable(name: string): bigint | undefined {
    return name === '_thread' || name === '_inferior' || name === '_gthread' ? 1n : undefined;
  }

  signalInfo(): Uint8Array | undefined {
    return undefined;
  }

  private symbol(loaded: Loaded, found: { readonly name: string; readonly address: number; readonly size: number; readonly type: number; readonly section: number }): ProgramSymbol {
    const isCode = found.type === STT_FUNC || ((loaded.elf.sections[found.section]?.flags ?? 0) & SHF_EXEC) !== 0;
    const kind = found.type === STT_TLS ? 'threadLocal' : found.type === STT_IFUNC ? 'indirectFunction' : isCode ? 'code' : 'data';
    const address = kind === 'threadLocal' ? BigInt(found.address) : BigInt(found.address) + loaded.module.bias;
    const name = shownSymbolName(found.name, isCode ? found.address : undefined, loaded.module);
    return { name, linkageName: found.name, address, size: found.size, kind, module: loaded.module };
  }

  private load(): Loaded[] {
    const paths = [...new Set(this.core.files.map(({ path }) => path))].filter((path) => path.startsWith('/') && (path === this.programPath || /\.so/.test(path)));
    return paths.sort((a, b) => Number(b === this.programPath) - Number(a === this.programPath)).map((path) => {
      const elf = new ElfFile(path, readFileSync(path));
      const sections = sectionsOf(elf);
      const mapped = this.core.files.filter((file) => file.path === path);
      const start = mapped.reduce((low, file) => (file.start < low ? file.start : low), mapped[0]?.start ?? 0n);
      const [lowest, highest] = [Math.min(...elf.loads.map((s) => s.address)), Math.max(...elf.loads.map((s) => s.address + s.memorySize))];
      const bias = start - BigInt(lowest - (lowest % 4096));
      const info = new DebugInfo(sections, { lowestAddress: 0x1000 });
      return { path, elf, module: { bias, info: info.isPresent ? info : undefined, frames: CallFrames.of(sections) }, start, end: bias + BigInt(highest) };
    });
  }
}
