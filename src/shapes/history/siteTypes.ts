/**
 * What type of memory a call of an allocator asks for, by where it comes back to. The user may have said so; or the
 * source names a type there (`sizeof (struct node)`, a cast, `new node`); or the result goes to a pointer whose type is
 * known: a variable, a member of what a variable points to, the function's own result. A function that returns what it
 * allocated as it is only passes it on, and its callers are asked.
 */
import { AT } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Location } from '../../dwarf/location.js';
import { scopesAt, type SourceFrame, sourceFrames } from '../../dwarf/sourceFrames.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import { strip, type Type } from '../../dwarf/types.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { viewOf } from '../../flow/ownCode.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Block } from './blocks.js';
import type { DebugTypes } from './debugTypes.js';
import type { ShapedRun } from './shapedRun.js';

/** `T=tree.c:19`. */
export interface ToldSite {
  readonly type: string;
  readonly file: string;
  readonly line: number;
}

type SiteType =
  | { readonly kind: 'type'; readonly name: string }
  /** The function that begins there returns it. */
  | { readonly kind: 'passed on'; readonly by: number }
  | { readonly kind: 'unknown' };

const UNKNOWN: SiteType = { kind: 'unknown' };
/** Instructions after the call in which the result comes to its pointer. */
const SOON = 40;
/** Lines that a call is looked for in. */
const LINES = 3;
const POINTER = 8;

export class SiteTypes {
  private readonly known = new Map<number, SiteType>();

  constructor(
    private readonly run: ShapedRun,
    private readonly view: ProgramView,
    private readonly types: DebugTypes,
    private readonly names: readonly string[],
    private readonly told: readonly ToldSite[],
  ) {}

  /** The execution moves. `block`: one that was allocated there. */
  async of(block: Block, work?: Work): Promise<SiteType> {
    const { site } = block;
    let found = this.known.get(site);
    if (found === undefined) this.known.set(site, (found = await this.find(block, work)));
    return found;
  }

  private async find(block: Block, work?: Work): Promise<SiteType> {
    const module = this.view.moduleAt(BigInt(block.site - 1));
    const info = module?.info;
    if (module === undefined || info === undefined) return UNKNOWN;
    const address = block.site - 1 - Number(module.bias);
    const frames = unlessCorrupt(() => sourceFrames(info, address), () => []);
    const told = this.told.find((one) => frames.some(({ file, line }) => line === one.line && file?.path.endsWith(one.file) === true));
    if (told !== undefined) return { kind: 'type', name: told.type };
    const said = this.saidBySource(frames);
    if (said !== undefined) return said;
    const pointed = await this.pointedTo(block, module, work);
    if (pointed !== undefined) return { kind: 'type', name: pointed };
    return this.resultOf(module, address);
  }

  /** Undefined: it does not say. */
  private saidBySource(frames: readonly SourceFrame[]): SiteType | undefined {
    for (const { file, line } of frames) {
      const lines = file === undefined ? undefined : this.run.sources.lines(file.path);
      const text = lines === undefined ? '' : statementAt(lines, line);
      const name = typeIn(text);
      if (name === undefined) continue;
      const known = this.names.find((one) => this.isNamed(one, name));
      return known === undefined ? UNKNOWN : { kind: 'type', name: known };
    }
    return undefined;
  }

  private isNamed(type: string, name: string): boolean {
    if (type === name) return true;
    const found = this.types.type(type)?.type;
    return found !== undefined && (found.name === name || strip(found).name === name || found.qualifiedName === name);
  }

  /** A pointer that has the address soon after, and whose type is one that is asked for. */
  private async pointedTo(block: Block, module: LoadedModule, work?: Work): Promise<string | undefined> {
    const { execution, modules } = this.run;
    const entry = functionAt(module, block.site - 1);
    for (let i = 1; i <= SOON && block.made + i <= execution.endTime; i++) {
      await execution.seek(at(block.made + i), work);
      const view = viewOf(execution.state, block.thread, modules);
      if (view === undefined) return undefined;
      const pc = Number(view.pc);
      if (i > 1 && functionAt(module, pc) !== entry) continue;
      const name = this.pointerIn(view.innermost(), block.address);
      if (name !== undefined) return name;
    }
    return undefined;
  }

  private pointerIn(frame: StackFrame, address: number): string | undefined {
    const types = frame.module?.info?.types;
    if (types === undefined) return undefined;
    for (const variable of frame.scopes.flatMap((scope) => unlessCorrupt(() => scope.variables, () => []))) {
      const plain = unlessCorrupt(() => strip(types.of(variable.type)), () => undefined);
      if (plain?.kind !== 'pointer') continue;
      const value = pointerAt(frame, unlessCorrupt(() => frame.locate(variable), () => undefined));
      const name = this.types.nameOf(plain.to);
      if (value === address && name !== undefined) return name;
      const inner = value === undefined || value === 0 || value === address ? undefined : this.memberWith(frame, plain.to, value, address);
      if (inner !== undefined) return inner;
    }
    return undefined;
  }

  /** A pointer in what a variable points to. */
  private memberWith(frame: StackFrame, to: Type, base: number, address: number): string | undefined {
    const plain = strip(to);
    if (plain.kind !== 'struct' && plain.kind !== 'pointer') return undefined;
    const members = plain.kind === 'pointer' ? [{ type: to, offset: 0 }] : plain.definition.members.filter((member) => !member.isStatic);
    for (const { type, offset } of members) {
      const inner = strip(type);
      const pointed = inner.kind === 'array' ? strip(inner.element) : inner;
      const name = pointed.kind === 'pointer' ? this.types.nameOf(pointed.to) : undefined;
      if (name === undefined) continue;
      const count = inner.kind === 'array' ? (inner.count ?? 0) : 1;
      for (let i = 0; i < count; i++) if (numberAt(frame.memory(BigInt(base + offset + i * POINTER), POINTER)) === address) return name;
    }
    return undefined;
  }

  private resultOf(module: LoadedModule, address: number): SiteType {
    const scope = module.info === undefined ? undefined : scopesAt(module.info, address).at(-1);
    if (scope === undefined || module.info === undefined) return UNKNOWN;
    const { types } = module.info;
    const result = unlessCorrupt(() => strip(types.of(scope.die.inherited((die) => die.reference(AT.TYPE)))), () => undefined);
    if (result?.kind !== 'pointer') return UNKNOWN;
    const name = this.types.nameOf(result.to);
    return name === undefined ? { kind: 'passed on', by: scope.entry + Number(module.bias) } : { kind: 'type', name };
  }
}

function functionAt(module: LoadedModule, address: number): number | undefined {
  const { info } = module;
  return info === undefined ? undefined : scopesAt(info, address - Number(module.bias)).at(-1)?.entry;
}

function pointerAt(frame: StackFrame, location: Location | undefined): number | undefined {
  switch (location?.kind) {
    case 'memory': return numberAt(frame.memory(location.address, POINTER));
    case 'register': {
      const value = frame.register(location.register);
      return value === undefined ? undefined : Number(BigInt.asUintN(64, value));
    }
    case 'value': return Number(BigInt.asUintN(64, location.value));
    default: return undefined;
  }
}

function numberAt(bytes: Uint8Array | undefined): number | undefined {
  return bytes === undefined ? undefined : Number(new DataView(bytes.buffer, bytes.byteOffset, POINTER).getBigUint64(0, true));
}

/** From the line on, up to the end of the statement. */
function statementAt(lines: readonly string[], line: number): string {
  const text: string[] = [];
  for (let i = line - 1; i < Math.min(lines.length, line - 1 + LINES); i++) {
    text.push(lines[i] as string);
    if ((lines[i] as string).includes(';')) break;
  }
  return text.join(' ');
}

/** The type that a call asks memory for, where it names one. */
function typeIn(text: string): string | undefined {
  const named = /\bsizeof\s*\(\s*(?:const\s+)?(?:struct\s+|union\s+|class\s+)?([A-Za-z_][\w:]*)\s*\)/.exec(text)?.[1];
  const isType = new RegExp(`\\bsizeof\\s*\\(\\s*(?:struct|union|class)\\s`).test(text);
  const cast = /\(\s*(?:struct\s+|union\s+)?([A-Za-z_][\w:]*)\s*\*+\s*\)\s*[\w(]/.exec(text)?.[1];
  const made = /\bnew\s+(?:\([^()]*\)\s*)?([A-Za-z_][\w:]*(?:<[^;]*>)?)\s*[({[;,]/.exec(text)?.[1];
  if (made !== undefined) return made;
  // sizeof may be of a variable, too: then a cast says more.
  if (named !== undefined && (isType || cast === undefined || cast === 'void')) return isType ? named : undefinedIfVariable(named, text);
  return cast === 'void' || cast === 'char' ? undefined : cast;
}

/** `n = malloc(sizeof(n))` is a mistake of its own; what is assigned to is a variable. */
function undefinedIfVariable(name: string, text: string): string | undefined {
  return new RegExp(`\\b${name}\\s*=[^=]`).test(text) ? undefined : name;
}
