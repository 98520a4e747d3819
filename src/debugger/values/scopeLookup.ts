/**
 * Names that the selected frame sees: variables of its blocks, types declared in its functions, and where its code
 * belongs.
 */
import type { Die } from '../../dwarf/die.js';
import { AT, TAG } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { qualifiedName, scopeName, scopesAround } from '../../dwarf/qualifiedName.js';
import type { Scope } from '../../dwarf/scope.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import type { Unit } from '../../dwarf/unit.js';
import type { Variable } from '../../dwarf/variable.js';
import type { SelectedFrame } from './surroundings.js';

const TYPE_TAGS: ReadonlySet<number> = new Set([TAG.STRUCTURE_TYPE, TAG.CLASS_TYPE, TAG.UNION_TYPE, TAG.ENUMERATION_TYPE, TAG.TYPEDEF]);

/** Scopes of the selected call, innermost first: blocks, then the function or the inlined copy. */
export function scopesOfCall(frame: SelectedFrame): Scope[] {
  const groups: Scope[][] = [[]];
  for (const scope of frame.stack.scopes) {
    groups.at(-1)?.push(scope);
    if (scope.kind !== 'block') groups.push([]);
  }
  return groups[frame.call] ?? [];
}

/** The function or copy that a stack frame is in, as `scopesOfCall` has it. */
export function functionScope(frame: SelectedFrame): Scope | undefined {
  return scopesOfCall(frame).at(-1);
}

/** `last` is what it is called here; undefined: all that is in `full` is meant. */
interface Import {
  readonly full: string;
  readonly last: string | undefined;
}

export class ScopeLookup {
  private readonly scopes: readonly Scope[];
  private names: readonly string[] | undefined;
  private imports: readonly Import[] | undefined;

  constructor(readonly frame: SelectedFrame) {
    this.scopes = unlessCorrupt(() => scopesOfCall(frame), () => []);
  }

  get stack(): StackFrame {
    return this.frame.stack;
  }

  get unit(): Unit | undefined {
    return this.scopes.at(-1)?.die.unit;
  }

  /** The innermost variable of that name. */
  variable(name: string): Variable | undefined {
    for (const scope of this.scopes) {
      const found = variableOf(scope, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The type of that name that one of the scopes declares. */
  type(name: string): Die | undefined {
    for (const scope of this.scopes) {
      const found = unlessCorrupt(() => typeIn(scope.die, name), () => undefined);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Namespaces and classes around the function, outermost first. */
  get around(): readonly string[] {
    this.names ??= this.readNames();
    return this.names;
  }

  /** What a name may mean by `using a::name` and `using namespace a`, in the function's unit or in the function. */
  importedNames(name: string): string[] {
    this.imports ??= unlessCorrupt(() => this.readImports(), () => []);
    return this.imports.flatMap(({ full, last }) => (last === undefined ? [`${full}::${name}`] : last === name ? [full] : []));
  }

  private readImports(): Import[] {
    const { unit } = this;
    const parents = unit === undefined ? [] : [unit.root, ...this.scopes.flatMap((scope) => [...scope.die.origins()])];
    return parents.flatMap((parent) => [...parent.children()].flatMap((die): Import[] => {
      if (die.tag !== TAG.IMPORTED_DECLARATION && die.tag !== TAG.IMPORTED_MODULE) return [];
      const target = die.reference(AT.IMPORT);
      const full = target === undefined ? undefined : qualifiedName(target);
      if (target === undefined || full === undefined) return [];
      return [{ full, last: die.tag === TAG.IMPORTED_MODULE ? undefined : (die.string(AT.NAME) ?? target.name) }];
    }));
  }

  private readNames(): string[] {
    const die = this.scopes.at(-1)?.die;
    if (die === undefined || die.unit.isC) return [];
    return unlessCorrupt(() => scopesAround(die).map(scopeName), () => []);
  }
}

/** A variable that a scope itself declares, the last one if it declares several. */
export function variableOf(scope: Scope, name: string): Variable | undefined {
  return unlessCorrupt(() => scope.variables.findLast((variable) => variable.name === name && !variable.isDeclaration), () => undefined);
}

function typeIn(die: Die, name: string): Die | undefined {
  for (const origin of die.origins()) {
    for (const child of origin.children()) {
      if (TYPE_TAGS.has(child.tag) && child.name === name) return child;
    }
  }
  return undefined;
}
