/** The variables that a frame sees, in the groups that the client shows: its own, its arguments, those of its file, registers. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Die } from '../dwarf/die.js';
import { TAG } from '../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { Variable } from '../dwarf/variable.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { unlessFailed } from '../debugger/values/expressionError.js';
import { registerType, registerValue } from '../debugger/values/registers.js';
import { frameValue, staticValue } from '../debugger/values/variableValue.js';
import { type Container, type Page, paged, type ValuePart } from './containers.js';
import type { ValueView } from './valueContainer.js';

interface FrameScope {
  readonly name: string;
  readonly hint: DebugProtocol.Scope['presentationHint'];
  readonly isExpensive: boolean;
  readonly container: Container;
}

export function frameScopes(frame: VisibleFrame, view: ValueView): FrameScope[] {
  const scopes: FrameScope[] = [];
  const own = frame.scopes.flatMap((scope) => unlessCorrupt(() => [...scope.variables], () => []));
  const local = own.filter((variable) => !variable.isParameter);
  const parameters = own.filter((variable) => variable.isParameter);
  if (frame.scopes.length > 0) scopes.push({ name: 'Locals', hint: 'locals', isExpensive: false, container: variableList(view, () => frameParts(frame, local, view)) });
  if (parameters.length > 0) scopes.push({ name: 'Arguments', hint: 'arguments', isExpensive: false, container: variableList(view, () => frameParts(frame, parameters, view)) });
  const globals = globalsAround(frame);
  if (globals !== undefined) scopes.push({ name: `Globals of ${globals.file}`, hint: 'globals', isExpensive: true, container: variableList(view, () => globals.parts(view)) });
  return [...scopes, { name: 'Registers', hint: 'registers', isExpensive: true, container: registers(view) }];
}

function variableList(view: ValueView, make: () => readonly ValuePart[]): Container {
  let made: readonly ValuePart[] | undefined;
  const parts = (): readonly ValuePart[] => (made ??= make());
  return {
    view,
    variables: (page: Page) => (page.filter === 'indexed' ? [] : paged(parts(), page).map((part) => view.variable(part))),
    part: (name) => parts().find((part) => part.name === name),
  };
}

/** Of variables with the same name only the innermost can be named in expressions. */
function frameParts({ stack }: VisibleFrame, variables: readonly Variable[], { expressions }: ValueView): ValuePart[] {
  const seen = new Set<string>();
  return variables.flatMap((variable): ValuePart[] => {
    const { name } = variable;
    if (name === undefined || variable.isDeclaration) return [];
    const isHidden = seen.has(name);
    seen.add(name);
    const line = variable.declaration?.line;
    return [{
      name: isHidden ? `${name} (of line ${line ?? '?'})` : name, value: frameValue(expressions.around, variable, stack), expression: isHidden ? undefined : name, hint: undefined,
    }];
  });
}

function globalsAround(frame: VisibleFrame): { readonly file: string; parts(view: ValueView): ValuePart[] } | undefined {
  const unit = frame.scopes.at(-1)?.die.unit;
  const { module } = frame;
  if (unit === undefined || module === undefined) return undefined;
  const name = unit.name ?? '?';
  return {
    file: name.slice(name.lastIndexOf('/') + 1),
    parts: ({ expressions }) => {
      const found = unlessCorrupt(() => [...variablesIn(unit.root, 0)], () => []);
      return found.flatMap((variable): ValuePart[] => {
        const shown = unlessCorrupt(() => variable.qualifiedName, () => undefined);
        const value = unlessCorrupt(() => unlessFailed(() => staticValue(expressions.around, variable, module), () => undefined), () => undefined);
        return shown === undefined || value === undefined ? [] : [{ name: shown, value, expression: shown, hint: undefined }];
      });
    },
  };
}

const DEEPEST_NAMESPACE = 16;

function* variablesIn(die: Die, depth: number): Generator<Variable> {
  for (const child of die.children()) {
    if (child.tag === TAG.NAMESPACE && depth < DEEPEST_NAMESPACE) yield* variablesIn(child, depth + 1);
    if (child.tag !== TAG.VARIABLE) continue;
    const variable = new Variable(child);
    if (!variable.isDeclaration) yield variable;
  }
}

const REGISTERS = [
  'rip', 'rsp', 'rbp', 'rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'eflags', 'fs_base', 'gs_base',
  ...Array.from({ length: 16 }, (_, i) => `xmm${i}`), ...Array.from({ length: 8 }, (_, i) => `st${i}`), 'mxcsr',
].filter((name) => registerType(name) !== undefined);

function registers(view: ValueView): Container {
  const part = (name: string): ValuePart[] => {
    const value = registerValue(view.expressions.around, name);
    return value === undefined ? [] : [{ name, value, expression: `$${name}`, hint: undefined }];
  };
  // Numbers in registers are mostly addresses and bits.
  const shown = (one: ValuePart): DebugProtocol.Variable => view.variable(one, one.value.plain.kind === 'base' && one.name !== 'eflags' && one.name !== 'mxcsr' && !one.name.startsWith('st') ? { format: 'x' } : view.settings);
  return {
    view,
    named: REGISTERS.length,
    variables: (page) => (page.filter === 'indexed' ? [] : paged(REGISTERS, page).flatMap(part).map(shown)),
    part: (name) => part(name)[0],
  };
}
