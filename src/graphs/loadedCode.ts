/**
 * The code of a process as the recovery of functions wants it. Functions are known from debug information, from stubs
 * of the linker, from symbols that say how long they are, and from unwinding tables, which stripped programs have, too.
 */
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { handlersIn } from '../dwarf/exceptionTable.js';
import type { FrameDescription } from '../dwarf/frameEntries.js';
import { rulesAt } from '../dwarf/frameRules.js';
import { PF, type Segment } from '../elf/elfHeader.js';
import { type CodeFunction, CodeFunctions } from '../debugger/program/codeFunctions.js';
import { stubAt } from '../debugger/program/linkage.js';
import type { LoadedModule, ModuleList } from '../debugger/program/modules.js';
import type { CodeSource, KnownFunction } from './codeSource.js';

/** Memory of the process; null if a byte is not there. */
type ReadMemory = (address: number, length: number) => Uint8Array | null;

const NOTHING = new Uint8Array(0);
/** Memory is read up to the next of these if there is less than was asked for. */
const PAGE = 4096;
/** Of one function's exceptions, in bytes. */
const LARGEST_TABLE = 1 << 20;
const RSP = 7;
/** Where a function begins there is nothing on the stack but the return address. */
const RETURN_ADDRESS = 8;

export class LoadedCode implements CodeSource {
  private list: ModuleList | undefined;
  private opened: OpenedModule[] = [];
  private last: OpenedModule | undefined;

  /** `modules` is asked again when there is code where no module was. */
  constructor(
    private readonly modules: () => ModuleList,
    private readonly memory: ReadMemory,
  ) {}

  fetch(address: number, length: number): Uint8Array {
    return this.moduleAt(address)?.constant(address, length) ?? this.fromMemory(address, length);
  }

  functionAt(address: number): KnownFunction | undefined {
    const found = this.moduleAt(address)?.functionAround(address);
    return found?.entry === address && !found.isPart ? found : undefined;
  }

  functionAround(address: number): KnownFunction | undefined {
    return this.moduleAt(address)?.functionAround(address);
  }

  nameOf(address: number): string | undefined {
    return this.moduleAt(address)?.nameOf(address);
  }

  handlersOf(address: number): readonly number[] {
    return this.moduleAt(address)?.handlersOf(address) ?? [];
  }

  private fromMemory(address: number, length: number): Uint8Array {
    const whole = this.memory(address, length);
    return whole ?? this.memory(address, Math.min(length, PAGE - (address % PAGE))) ?? NOTHING;
  }

  private moduleAt(address: number): OpenedModule | undefined {
    if (this.last?.contains(address) === true) return this.last;
    const found = this.opened.find((module) => module.contains(address)) ?? (this.hasMore() ? this.opened.find((module) => module.contains(address)) : undefined);
    if (found !== undefined) this.last = found;
    return found;
  }

  /** Whether modules were loaded since. */
  private hasMore(): boolean {
    const list = this.modules();
    if (list === this.list) return false;
    this.list = list;
    this.opened = list.all.map((module) => this.opened.find((known) => known.module.file === module.file && known.module.bias === module.bias) ?? new OpenedModule(module));
    return true;
  }
}

interface ModuleFunction extends KnownFunction {
  /** It does not begin where its range does: a part of a function that is not known. */
  readonly isPart: boolean;
}

class OpenedModule {
  private readonly start: number;
  private readonly end: number;
  private readonly bias: number;
  private readonly functions: CodeFunctions;
  private readonly segments: { readonly start: number; readonly end: number; readonly bytes: Uint8Array }[];
  private readonly known = new Map<number, ModuleFunction>();
  private latest: ModuleFunction | undefined;

  constructor(readonly module: LoadedModule) {
    [this.start, this.end, this.bias] = [Number(module.start), Number(module.end), Number(module.bias)];
    this.functions = new CodeFunctions(module);
    const { elf } = module.file;
    // What can be written to may be different in memory.
    const isConstant = ({ flags }: Segment): boolean => (flags & PF.W) === 0;
    this.segments = elf.loads.filter(isConstant).map((segment) => {
      const start = segment.address + this.bias;
      return { start, end: start + segment.fileSize, bytes: elf.segmentBytes(segment) };
    });
  }

  contains(address: number): boolean {
    return address >= this.start && address < this.end;
  }

  /** From the file, where memory must have the same. */
  constant(address: number, length: number): Uint8Array | undefined {
    for (const { start, end, bytes } of this.segments) {
      if (address >= start && address < end) return bytes.subarray(address - start, address - start + length);
    }
    return undefined;
  }

  functionAround(address: number): ModuleFunction | undefined {
    const { latest } = this;
    if (latest !== undefined && isIn(latest, address)) return latest;
    const found = this.find(address - this.bias);
    if (found !== undefined) this.latest = found;
    return found;
  }

  nameOf(address: number): string | undefined {
    const inFile = address - this.bias;
    const stub = stubAt(this.module, inFile);
    if (stub !== undefined) return stub.name.replace(/@plt$/, '');
    const found = this.module.file.symbolAt(inFile);
    return found?.offset === 0 ? found.symbol.name.replace(/@.*$/, '') : undefined;
  }

  handlersOf(address: number): number[] {
    const { frames, file } = this.module;
    return unlessCorrupt(() => {
      const frame = frames.find(address - this.bias);
      const table = frame?.languageData === undefined ? undefined : file.readCode(frame.languageData, LARGEST_TABLE);
      if (frame?.languageData === undefined || table === undefined) return [];
      return handlersIn(table, frame.languageData, frame.low).map((handler) => handler + this.bias);
    }, () => []);
  }

  private find(inFile: number): ModuleFunction | undefined {
    const found = this.functions.at(inFile);
    const isSure = found.scope !== undefined || found.isStub || this.hasSize(found, inFile);
    const frame = isSure ? undefined : unlessCorrupt(() => this.module.frames.find(inFile), () => undefined);
    return frame === undefined ? this.fromFunction(found, isSure) : this.fromFrame(frame);
  }

  /** Labels of hand-written code do not say where it ends. */
  private hasSize({ entry }: CodeFunction, inFile: number): boolean {
    const found = entry === undefined ? undefined : this.module.file.symbolAt(inFile);
    return found !== undefined && found.offset < found.symbol.size;
  }

  /** `isSure`: its ranges are known. */
  private fromFunction({ entry, name, ranges, scope, isStub }: CodeFunction, isSure: boolean): ModuleFunction | undefined {
    if (entry === undefined) return undefined;
    const known = this.known.get(entry);
    if (known !== undefined && (!isSure || known.ranges.length === ranges.length)) return known;
    const here = (isSure ? ranges : []).map(({ low, high }) => ({ start: low + this.bias, end: high + this.bias }));
    const made = {
      entry: entry + this.bias, name: isStub ? name.replace(/@plt$/, '') : name, ranges: here, isPart: false,
      ...(scope?.function.neverReturns === true ? { neverReturns: true } : {}),
    };
    this.known.set(entry, made);
    return made;
  }

  private fromFrame(frame: FrameDescription): ModuleFunction {
    // Unwinding tables of what handlers of signals return to begin one byte before its code.
    const low = frame.common.isSignalFrame ? frame.low + 1 : frame.low;
    const known = this.known.get(low);
    if (known !== undefined) return known;
    const { high } = frame;
    const name = this.module.file.symbolAt(low);
    const cfa = unlessCorrupt(() => rulesAt(frame, low).cfa, () => undefined);
    const isPart = cfa?.kind === 'register' && (cfa.register !== RSP || cfa.offset !== RETURN_ADDRESS);
    const made = { entry: low + this.bias, name: name?.offset === 0 ? name.symbol.name : undefined, ranges: [{ start: low + this.bias, end: high + this.bias }], isPart };
    this.known.set(low, made);
    return made;
  }
}

function isIn({ ranges }: KnownFunction, address: number): boolean {
  return ranges.some(({ start, end }) => address >= start && address < end);
}
