/**
 * The variables that a frame sees, in the groups that a view shows: its own, its arguments, those of its file,
 * registers.
 */
import type { Die } from '../../../dwarf/die.js';
import { TAG } from '../../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../../dwarf/dwarfError.js';
import { strip } from '../../../dwarf/types.js';
import type { Unit } from '../../../dwarf/unit.js';
import { Variable } from '../../../dwarf/variable.js';
import type { LoadedModule } from '../../program/modules.js';
import type { VisibleFrame } from '../../program/visibleFrame.js';
import { fail, unlessFailed } from '../expressionError.js';
import type { Expressions } from '../expressions.js';
import { argumentsOf, localsOf, type NamedValue } from '../frameVariables.js';
import { registerType, registerValue } from '../registers.js';
import type { Value } from '../value.js';
import { staticValue } from '../variableValue.js';
import { type Child, type Children, listed } from './child.js';

interface FrameScope {
  readonly name: string;
  readonly kind: 'locals' | 'arguments' | 'globals' | 'registers';
  /** Better not unfolded before the user asks for it. */
  readonly isExpensive: boolean;
  readonly children: Children;
}

/** `expressions` are those of the frame. */
export function frameScopes(frame: VisibleFrame, expressions: Expressions): FrameScope[] {
  const scopes: FrameScope[] = [];
  if (frame.scopes.length > 0) scopes.push({ name: 'Locals', kind: 'locals', isExpensive: false, children: listed(() => localsOf(expressions).map(variable)) });
  const parameters = argumentsOf(expressions);
  if (parameters.length > 0) scopes.push({ name: 'Arguments', kind: 'arguments', isExpensive: false, children: listed(() => parameters.map(variable)) });
  const unit = frame.scopes.at(-1)?.die.unit;
  if (unit !== undefined && frame.module !== undefined) scopes.push(globalsOf(unit, frame.module, expressions));
  return [...scopes, { name: 'Registers', kind: 'registers', isExpensive: true, children: registers(expressions) }];
}

/** Of variables with the same name only the innermost can be named in expressions. */
function variable({ name, line, value, isHidden }: NamedValue): Child {
  return { name: isHidden ? `${name} (of line ${line ?? '?'})` : name, kind: 'variable', expression: isHidden ? undefined : name, value: () => value };
}

function globalsOf(unit: Unit, module: LoadedModule, expressions: Expressions): FrameScope {
  const path = unit.name ?? '?';
  const child = (global: Variable, inner: ReadonlySet<string>): Child[] => {
    const name = unlessCorrupt(() => global.qualifiedName, () => undefined);
    const value = unlessCorrupt(() => unlessFailed(() => staticValue(expressions.around, global, module), () => undefined), () => undefined);
    // What the frame's own variables hide is meant by its full name.
    return name === undefined || value === undefined ? [] : [{ name, kind: 'variable', expression: inner.has(name) ? `::${name}` : name, value: () => value }];
  };
  const children = listed(() => {
    const inner = new Set([...localsOf(expressions), ...argumentsOf(expressions)].map(({ name }) => name));
    return unlessCorrupt(() => [...variablesIn(unit.root, 0)], () => []).flatMap((global) => child(global, inner));
  });
  return { name: `Globals of ${path.slice(path.lastIndexOf('/') + 1)}`, kind: 'globals', isExpensive: true, children };
}

const DEEPEST_NAMESPACE = 16;

function* variablesIn(die: Die, depth: number): Generator<Variable> {
  for (const child of die.children()) {
    if (child.tag === TAG.NAMESPACE && depth < DEEPEST_NAMESPACE) yield* variablesIn(child, depth + 1);
    if (child.tag !== TAG.VARIABLE) continue;
    const found = new Variable(child);
    if (!found.isDeclaration) yield found;
  }
}

const REGISTERS = [
  'rip', 'rsp', 'rbp', 'rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'eflags', 'fs_base', 'gs_base',
  ...Array.from({ length: 16 }, (_, i) => `xmm${i}`), ...Array.from({ length: 8 }, (_, i) => `st${i}`), 'mxcsr',
].filter((name) => registerType(name) !== undefined);

function registers({ around }: Expressions): Children {
  const value = (name: string): Value => registerValue(around, name) ?? fail(`$${name} is not known here.`);
  return listed(() => REGISTERS.map((name) => ({ name, kind: 'register', expression: `$${name}`, ...(isNumber(name) ? { format: 'x' } : {}), value: () => value(name) })), { count: REGISTERS.length });
}

/** Numbers in registers are mostly addresses and bits. */
function isNumber(name: string): boolean {
  const type = registerType(name);
  return type !== undefined && strip(type).kind === 'base' && name !== 'eflags' && name !== 'mxcsr' && !name.startsWith('st');
}
