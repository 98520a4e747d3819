/**
 * What programs and libraries are mapped in an address space. The list is made from the mappings, and made again when
 * they change; the files themselves are opened once, whichever process maps them and at whatever time.
 */
import { PAGE_SIZE, pageCeil, pageFloor } from '../../base/types.js';
import type { ElfFile } from '../../elf/elfFile.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { ET } from '../../elf/elfHeader.js';
import { LARGEST_RECORDED_FILE } from '../../layout/recordedFiles.js';
import type { SeenMapping, State, StoredFile } from '../../replay/timeline/state.js';
import type { DebugFiles } from './debugFiles.js';
import { ModuleFile, openElf } from './moduleFile.js';

/** A file where it was loaded. */
export class LoadedModule implements Module {
  constructor(
    readonly file: ModuleFile,
    /** What is added to addresses in the file. */
    readonly bias: bigint,
    /** All its mappings: [start, end). */
    readonly start: bigint,
    readonly end: bigint,
  ) {}

  get path(): string {
    return this.file.path;
  }

  get info(): ModuleFile['info'] {
    return this.file.info;
  }

  get frames(): ModuleFile['frames'] {
    return this.file.frames;
  }

  /** Where a function begins (without load bias), by its symbol. */
  symbolAddress(name: string): number | undefined {
    return this.file.symbolNamed(name)?.address;
  }

  /** Whether it is a program rather than a library or the dynamic linker. */
  get isProgram(): boolean {
    const { elf } = this.file;
    return elf.header.type === ET.EXEC || elf.interpreter !== undefined;
  }
}

/** The modules of one address space as they are mapped. Never changes: when the mappings do, there is another one. */
export class ModuleList {
  constructor(
    /** In the order of addresses. */
    readonly all: readonly LoadedModule[],
    private readonly mappings: readonly SeenMapping[],
  ) {}

  at(address: bigint): LoadedModule | undefined {
    return this.all.find(({ start, end }) => address >= start && address < end);
  }

  /** The program itself. */
  get main(): LoadedModule | undefined {
    return this.all.find((module) => module.isProgram) ?? this.all[0];
  }

  isMadeFrom(mappings: readonly SeenMapping[]): boolean {
    return mappings.length === this.mappings.length && mappings.every((m, i) => isSame(m, this.mappings[i] as SeenMapping));
  }
}

const VDSO = '[vdso]';
/** Address spaces have few sets of modules over time; going back and forth must not read them again. */
const MOST_KEPT = 16;

export class Modules {
  private readonly files = new Map<StoredFile, ModuleFile | undefined>();
  private readonly vdsos = new Map<number, ModuleFile | undefined>();
  private kept: ModuleList[] = [];

  constructor(private readonly host: DebugFiles) {}

  /** What the thread's process has loaded. */
  of(state: State, thread: number): ModuleList {
    const mappings = state.mappings(thread).filter((m) => (m.file !== undefined && !m.shared) || m.name === VDSO);
    const known = this.kept.find((list) => list.isMadeFrom(mappings));
    if (known !== undefined) return known;
    const made = new ModuleList(this.read(mappings, state, thread), mappings);
    this.kept = [made, ...this.kept].slice(0, MOST_KEPT);
    return made;
  }

  private read(mappings: readonly SeenMapping[], state: State, thread: number): LoadedModule[] {
    const modules: LoadedModule[] = [];
    for (const m of mappings) {
      if (modules.some(({ start, end }) => m.start >= Number(start) && m.end <= Number(end))) continue;
      const file = m.file === undefined ? this.vdso(m, state, thread) : this.open(m.file);
      const bias = file === undefined ? undefined : biasOf(file, m);
      if (file !== undefined && bias !== undefined) modules.push(moduleAt(file, bias));
    }
    return modules;
  }

  private open(file: StoredFile): ModuleFile | undefined {
    if (!this.files.has(file)) this.files.set(file, this.read1(file));
    return this.files.get(file);
  }

  private read1(file: StoredFile): ModuleFile | undefined {
    const own = file.size > LARGEST_RECORDED_FILE ? this.fromHost(file) : undefined;
    if (own !== undefined) return new ModuleFile(file.path, own, this.host);
    const bytes = new Uint8Array(file.size);
    file.read(0, bytes);
    const elf = openElf(file.path, bytes);
    return elf === undefined ? undefined : new ModuleFile(file.path, elf, this.host);
  }

  /**
   * Of very large files recordings have only what was loaded: the rest is read from this machine, if it has the same
   * file.
   */
  private fromHost(file: StoredFile): ElfFile | undefined {
    const start = new Uint8Array(PAGE_SIZE);
    file.read(0, start);
    const bytes = this.host.read(file.path);
    const isSame = bytes !== undefined && bytes.length === file.size && start.every((byte, i) => byte === bytes[i]);
    return isSame ? openElf(file.path, bytes) : undefined;
  }

  private vdso(m: SeenMapping, state: State, thread: number): ModuleFile | undefined {
    if (!this.vdsos.has(m.start)) {
      const bytes = state.read(thread, m.start, m.end - m.start);
      const elf = bytes === null ? undefined : openElf(VDSO, bytes.slice());
      this.vdsos.set(m.start, elf === undefined ? undefined : new ModuleFile(VDSO, elf, this.host));
    }
    return this.vdsos.get(m.start);
  }
}

function biasOf({ elf }: ModuleFile, m: SeenMapping): number | undefined {
  const offset = m.file === undefined ? 0 : m.fileOffset;
  const segment = elf.loads.find((load) => pageFloor(load.offset) === offset);
  return segment === undefined ? undefined : m.start - pageFloor(segment.address);
}

function moduleAt(file: ModuleFile, bias: number): LoadedModule {
  const low = Math.min(...file.elf.loads.map((s) => pageFloor(s.address)));
  // Whole pages, as mappings have them: what is mapped of the last one is no other module.
  const high = Math.max(...file.elf.loads.map((s) => pageCeil(s.address + s.memorySize)));
  return new LoadedModule(file, BigInt(bias), BigInt(bias + low), BigInt(bias + high));
}

function isSame(a: SeenMapping, b: SeenMapping): boolean {
  return a === b || (a.start === b.start && a.end === b.end && a.fileOffset === b.fileOffset && a.file === b.file && a.name === b.name);
}
