/** Variables of the program that are nodes, or have nodes in them: they are there all the time. */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { evaluate } from '../../dwarf/expression.js';
import type { ProgramState } from '../../dwarf/location.js';
import { strip, type Type } from '../../dwarf/types.js';
import { Variable } from '../../dwarf/variable.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { DebugTypes, NodeType } from './debugTypes.js';

export interface VariableNode {
  readonly type: NodeType;
  readonly address: number;
  readonly bytes: number;
}

const DEEPEST = 8;

/** Global and static variables outside of functions, of all modules that have debug information of the user's. */
export function globalNodes(module: LoadedModule, types: DebugTypes, names: readonly string[]): VariableNode[] {
  const { info } = module;
  if (info === undefined) return [];
  const found = new Map<number, VariableNode>();
  for (const unit of info.fullUnits()) {
    for (const die of unlessCorrupt(() => [...unit.root.children()], () => [])) {
      const variable = new Variable(die);
      if (!unlessCorrupt(() => variable.isStatic, () => false)) continue;
      const type = unlessCorrupt(() => info.types.of(variable.type), () => undefined);
      const address = type === undefined ? undefined : staticAddress(variable, module);
      if (type === undefined || address === undefined) continue;
      for (const node of nodesIn(type, address, types, names)) found.set(node.address, node);
    }
  }
  return [...found.values()];
}

/** A variable outside of functions that the specification names. */
export function namedVariable(modules: readonly LoadedModule[], name: string): { readonly type: Type; readonly address: number } | undefined {
  for (const module of modules) {
    const { info } = module;
    if (info === undefined) continue;
    for (const die of unlessCorrupt(() => info.byName.find(name, 'variable'), () => [])) {
      const variable = new Variable(die);
      const address = variable.isDeclaration ? undefined : staticAddress(variable, module);
      if (address !== undefined) return { type: info.types.of(variable.type), address };
    }
  }
  return undefined;
}

/** Nodes in an object: itself, its elements, its members. */
function nodesIn(type: Type, address: number, types: DebugTypes, names: readonly string[], depth = 0): VariableNode[] {
  const name = types.nameOf(type);
  const known = name === undefined || !names.includes(name) ? undefined : types.type(name);
  if (known !== undefined) return [{ type: known, address, bytes: known.bytes }];
  const plain = strip(type);
  if (depth > DEEPEST) return [];
  if (plain.kind === 'array') {
    const element = strip(plain.element);
    const first = nodesIn(plain.element, address, types, names, depth + 1);
    if (first.length === 0) return [];
    return Array.from({ length: plain.count ?? 0 }, (_, i) => first.map((node) => ({ ...node, address: node.address + i * element.size }))).flat();
  }
  if (plain.kind !== 'struct') return [];
  return plain.definition.members.filter((member) => !member.isStatic && member.bits === undefined).flatMap((member) => nodesIn(member.type, address + member.offset, types, names, depth + 1));
}

/** Where a variable is that is the same for all of the program. */
function staticAddress(variable: Variable, module: LoadedModule): number | undefined {
  return unlessCorrupt(() => {
    const where = variable.whereabouts(0);
    if (where.kind !== 'expression') return undefined;
    const location = evaluate(where.expression, where.unit, withoutFrame(module));
    return location.kind === 'memory' ? Number(location.address) : undefined;
  }, () => undefined);
}

function withoutFrame({ bias }: LoadedModule): ProgramState {
  return { bias, register: () => undefined, memory: () => undefined, frameBase: () => undefined, cfa: () => undefined, tlsAddress: () => undefined, entryValue: () => undefined };
}
