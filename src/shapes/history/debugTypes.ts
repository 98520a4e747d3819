/** Types and constants of the program, from its debug information, as specifications ask for them. */
import { AT } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { canonicalName } from '../../dwarf/qualifiedName.js';
import { strip, type StructType, type Type } from '../../dwarf/types.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { FieldValue, ProgramTypes, ShapeType } from '../model.js';
import { flatten, type MemoryField } from './flatten.js';
import { CHUNK_TYPE, chunkType } from './heapChunks.js';

/** More typedefs on top of each other are a circle. */
const LONGEST_CHAIN = 16;

/** A type as nodes of it are read. */
export interface NodeType extends ShapeType {
  readonly fields: readonly MemoryField[];
  readonly type: Type;
}

export class DebugTypes implements ProgramTypes {
  private readonly known = new Map<string, NodeType | undefined>();
  /** Types that were asked for, by all names that they have. */
  private readonly names = new Map<string, string>();
  private readonly specified: ReadonlyMap<string, string>;

  /** The program's own module first. `aliases`: what types of the specification are called in the program. */
  constructor(
    private readonly modules: readonly LoadedModule[],
    private readonly aliases: ReadonlyMap<string, string> = new Map(),
  ) {
    this.specified = new Map([...aliases].map(([name, program]) => [program, name]));
  }

  /** By its name in the specification, or in the program. */
  type(written: string): NodeType | undefined {
    const name = this.specified.get(written) ?? written;
    if (!this.known.has(name)) this.known.set(name, this.find(name));
    return this.known.get(name);
  }

  /** A variable is a node of a type of its own, which has its name. */
  addVariable(name: string, type: Type): NodeType {
    const made = { name, bytes: strip(type).size, fields: flatten(type, (to) => this.nameOf(to)), type };
    this.known.set(name, made);
    return made;
  }

  constant(name: string): FieldValue | undefined {
    for (const { info } of this.modules) {
      const die = info === undefined ? undefined : unlessCorrupt(() => info.byName.find(name, 'enumerator')[0], () => undefined);
      const value = die?.constantValue(AT.CONST_VALUE);
      if (value !== undefined) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
    return undefined;
  }

  offsetOf(type: string, path: string): number | undefined {
    const found = this.type(type);
    return found === undefined ? undefined : memberOffset(found.type, path);
  }

  /** The type of the specification that a type of the program is; undefined if it is none. */
  nameOf(type: Type): string | undefined {
    for (const name of namesOf(type)) {
      const known = this.names.get(name);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  private find(name: string): NodeType | undefined {
    if (this.aliases.get(name) === CHUNK_TYPE) return chunkType(name);
    const wanted = canonicalName((this.aliases.get(name) ?? name).replace(/^\s*(struct|union|class|enum)\s+/, ''));
    for (const { info } of this.modules) {
      const found = info === undefined ? [] : unlessCorrupt(() => info.types.find(wanted), () => []);
      const type = found.find(isComplete);
      if (type === undefined) continue;
      for (const other of namesOf(type)) this.names.set(other, name);
      return { name, bytes: strip(type).size, fields: flatten(type, (to) => this.nameOf(to)), type };
    }
    return undefined;
  }
}

function isComplete(type: Type): boolean {
  const plain = strip(type);
  return plain.kind !== 'struct' || !plain.definition.isIncomplete;
}

/** Of typedefs all names on the way, and that of what they stand for. */
function namesOf(type: Type): string[] {
  const names: string[] = [];
  let inner = type;
  for (let i = 0; i < LONGEST_CHAIN; i++) {
    if (inner.kind === 'typedef') names.push(`typedef ${inner.qualifiedName ?? inner.name ?? ''}`);
    if (inner.kind !== 'typedef' && inner.kind !== 'qualified') break;
    inner = inner.of;
  }
  if (inner.kind === 'struct' && inner.name !== undefined) names.unshift(`${inner.keyword === 'union' ? 'union' : 'struct'} ${inner.qualifiedName ?? inner.name}`);
  return names;
}

function memberOffset(type: Type, path: string): number | undefined {
  let [inner, offset] = [type, 0];
  for (const part of path.split(/\.|(?=\[)/).filter((one) => one !== '')) {
    const plain = strip(inner);
    const index = /^\[(\d+)\]$/.exec(part);
    if (index !== null) {
      if (plain.kind !== 'array') return undefined;
      offset += Number(index[1]) * strip(plain.element).size;
      inner = plain.element;
      continue;
    }
    const member = plain.kind === 'struct' ? memberOf(plain, part) : undefined;
    if (member === undefined) return undefined;
    offset += member.offset;
    inner = member.type;
  }
  return offset;
}

/** Also of bases, and of members without a name. */
function memberOf(struct: StructType, name: string): { readonly offset: number; readonly type: Type } | undefined {
  const { members, bases } = struct.definition;
  const own = members.find((member) => member.name === name && !member.isStatic);
  if (own !== undefined) return own;
  const inner = [...members.filter((member) => member.name === undefined), ...bases];
  for (const { type, offset } of inner) {
    const plain = strip(type);
    const found = plain.kind === 'struct' && offset !== undefined ? memberOf(plain, name) : undefined;
    if (found !== undefined) return { offset: (offset as number) + found.offset, type: found.type };
  }
  return undefined;
}
