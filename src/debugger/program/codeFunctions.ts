/**
 * The functions of a program or library, by address: from debug information where there is any, from symbols elsewhere.
 * Addresses are those of the file, without load bias.
 */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { AddressRange } from '../../dwarf/ranges.js';
import type { Scope } from '../../dwarf/scope.js';
import { scopesAt } from '../../dwarf/sourceFrames.js';
import { functionNameOf } from './functionNames.js';
import { stubAt } from './linkage.js';
import type { ModuleFile } from './moduleFile.js';
import type { LoadedModule } from './modules.js';
import { demangle } from '../values/demangle/demangle.js';

export interface CodeFunction {
  readonly file: ModuleFile;
  readonly name: string;
  /** Where it is entered; undefined if it is not known. */
  readonly entry: number | undefined;
  readonly ranges: readonly AddressRange[];
  /** Where debug information describes it. */
  readonly scope: Scope | undefined;
  readonly source: { readonly path: string; readonly line: number } | undefined;
  /** A jump to a function of another file, which the linker made. */
  readonly isStub: boolean;
}

/** Parts of functions that are seldom run, which GCC puts elsewhere. */
const COLD = /\.cold(\.\d+)?$/;
const NO_NAME = '??';

export class CodeFunctions {
  private readonly byEntry = new Map<number, CodeFunction>();
  private readonly unknown: CodeFunction;
  private last: CodeFunction | undefined;

  constructor(private readonly module: LoadedModule) {
    const { file } = module;
    this.unknown = { file, name: NO_NAME, entry: undefined, ranges: [], scope: undefined, source: undefined, isStub: false };
  }

  at(address: number): CodeFunction {
    if (this.last !== undefined && isIn(this.last, address)) return this.last;
    const found = this.find(address);
    this.last = found;
    return found;
  }

  private find(address: number): CodeFunction {
    return this.described(address) ?? this.stub(address) ?? this.symbol(address) ?? this.unknown;
  }

  private described(address: number): CodeFunction | undefined {
    const { info } = this.module;
    const scope = info === undefined ? undefined : unlessCorrupt(() => scopesAt(info, address).at(-1), () => undefined);
    if (scope === undefined) return undefined;
    const { ranges, entry, function: { declaration } } = scope;
    const name = functionNameOf(scope) ?? this.symbolName(address) ?? NO_NAME;
    const source = declaration?.file === undefined ? undefined : { path: declaration.file.path, line: declaration.line };
    return this.add({ file: this.module.file, name, entry, ranges, scope, source, isStub: false });
  }

  private stub(address: number): CodeFunction | undefined {
    const stub = stubAt(this.module, address);
    if (stub === undefined) return undefined;
    const { name, start, size } = stub;
    return this.add({ file: this.module.file, name, entry: start, ranges: [{ low: start, high: start + size }], scope: undefined, source: undefined, isStub: true });
  }

  private symbol(address: number): CodeFunction | undefined {
    const { file } = this.module;
    const found = file.symbolAt(address)?.symbol;
    if (found === undefined) return undefined;
    const range = { low: found.address, high: Math.max(found.address + found.size, address + 1) };
    const whole = COLD.test(found.name) ? file.symbolNamed(found.name.replace(COLD, '')) : undefined;
    if (whole !== undefined) return this.joined(range, whole.address);
    return this.add({ file, name: demangle(found.name.replace(/@.*$/, ''), true), entry: found.address, ranges: [range], scope: undefined, source: undefined, isStub: false });
  }

  /** A part of the function at `entry`, as one that knows of both. */
  private joined(part: AddressRange, entry: number): CodeFunction {
    const whole = this.byEntry.get(entry) ?? this.at(entry);
    (whole.ranges as AddressRange[]).push(part);
    return whole;
  }

  private symbolName(address: number): string | undefined {
    return this.module.file.symbolAt(address)?.symbol.name;
  }

  /** A label without a size grows with every address that is found in it. */
  private add(found: CodeFunction): CodeFunction {
    const same = found.entry === undefined ? undefined : this.byEntry.get(found.entry);
    if (same !== undefined) {
      if (!isIn(same, found.ranges.at(-1)?.low ?? 0) || found.scope === undefined) (same.ranges as AddressRange[]).push(...found.ranges.filter(({ low, high }) => !isIn(same, low) || !isIn(same, high - 1)));
      return same;
    }
    const own = { ...found, ranges: [...found.ranges] };
    if (own.entry !== undefined) this.byEntry.set(own.entry, own);
    return own;
  }
}

function isIn({ ranges }: CodeFunction, address: number): boolean {
  return ranges.some(({ low, high }) => address >= low && address < high);
}
