/**
 * Values as a tree: members of structures, elements of arrays, what pointers lead to. Parts are found when the client unfolds them, and
 * of arrays only those that it wants to see. Each part has an expression that means it, for watching and copying.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { strip, type ArrayType, type StructType } from '../dwarf/types.js';

import { unlessFailed } from '../debugger/values/expressionError.js';
import { Expressions } from '../debugger/values/expressions.js';
import type { ValueHistory } from '../debugger/values/history.js';
import { baseValue, memberValue, presentMembers } from '../debugger/values/members.js';
import type { PrintSettings } from '../debugger/values/print/settings.js';
import { contentsOf } from '../debugger/values/references.js';
import { toInteger } from '../debugger/values/scalars.js';
import type { Value } from '../debugger/values/value.js';
import type { FrameReference } from './adapter.js';
import { addressText } from './addresses.js';
import { type Container, type Page, paged, type ValuePart } from './containers.js';
import type { FrameSurroundings } from './frameSurroundings.js';
import type { References } from './references.js';
import { standardParts } from './standardParts.js';

/** Elements that clients without paging get. */
const MOST_ELEMENTS = 1000;

/** What is needed to show values of one frame. */
export class ValueView {
  readonly expressions: Expressions;

  constructor(
    readonly around: FrameSurroundings,
    /** Undefined: of no frame. */
    readonly at: FrameReference | undefined,
    history: ValueHistory,
    private readonly containers: References<Container>,
    private readonly isHexadecimal: boolean,
  ) {
    this.expressions = new Expressions(around, history);
  }

  /** As gdb shows it among other variables; why it cannot be shown, if it cannot. */
  text(value: Value, settings = this.settings): string {
    return unlessFailed(() => this.expressions.printer(settings).nested(value, 0, true), ({ message }) => `<error: ${message}>`);
  }

  get settings(): Partial<PrintSettings> {
    return this.isHexadecimal ? { format: 'x' } : {};
  }

  variable({ name, value, expression, hint }: ValuePart, settings = this.settings): DebugProtocol.Variable {
    return { name, value: this.text(value, settings), ...this.rest(value, expression), ...(hint === undefined ? {} : { presentationHint: hint }) };
  }

  /** What is the same in answers about variables and about expressions. */
  rest(value: Value, expression: string | undefined): Pick<DebugProtocol.Variable, 'type' | 'variablesReference' | 'namedVariables' | 'indexedVariables' | 'memoryReference' | 'evaluateName'> {
    const container = unlessFailed(() => containerOf(this, value, expression), () => undefined);
    const memory = memoryOf(value);
    return {
      type: this.expressions.typeName(value.type),
      variablesReference: container === undefined ? 0 : this.containers.add(container),
      ...(container?.named === undefined ? {} : { namedVariables: container.named }),
      ...(container?.indexed === undefined ? {} : { indexedVariables: container.indexed }),
      ...(memory === undefined ? {} : { memoryReference: addressText(memory) }),
      ...(expression === undefined ? {} : { evaluateName: expression }),
    };
  }
}

/** Where a pointer leads; otherwise where the value is. */
function memoryOf(value: Value): bigint | undefined {
  if (value.plain.kind !== 'pointer') return value.address;
  return unlessFailed(() => (value.isOptimisedOut ? undefined : BigInt.asUintN(64, toInteger(value))), () => undefined);
}

/** Undefined if it has no parts. */
function containerOf(view: ValueView, value: Value, expression: string | undefined): Container | undefined {
  const { plain } = value;
  if (value.isOptimisedOut) return undefined;
  switch (plain.kind) {
    case 'struct': return structContainer(view, value, expression, '.');
    case 'array': return arrayContainer(view, value, plain, expression);
    case 'reference': return containerOf(view, contentsOf(value), expression);
    case 'pointer': return pointerContainer(view, value, expression);
    default: return undefined;
  }
}

function pointerContainer(view: ValueView, value: Value, expression: string | undefined): Container | undefined {
  const { plain } = value;
  const to = plain.kind === 'pointer' ? strip(plain.to) : plain;
  if (to.kind === 'void' || to.kind === 'function' || to.kind === 'unspecified' || toInteger(value) === 0n) return undefined;
  const target = contentsOf(value);
  if (view.expressions.around.memory(target.address ?? 0n, 1) === undefined) return undefined;
  const container = to.kind === 'struct' ? structContainer(view, target, expression, '->')
    : partsContainer(view, () => [{ name: `*${expression ?? ''}`, value: target, expression: expression === undefined ? undefined : `*${operand(expression)}`, hint: undefined }], 1);
  return container && { ...container, isWithin: target.address };
}

function structContainer(view: ValueView, value: Value, expression: string | undefined, access: '.' | '->'): Container | undefined {
  const { plain } = value;
  if (plain.kind !== 'struct') return undefined;
  const known = standardParts(view, value, expression === undefined ? undefined : access === '->' ? `(*${operand(expression)})` : operand(expression));
  if (known !== undefined) return known.parts.length === 0 ? undefined : known.isIndexed ? indexedContainer(view, known.parts) : partsContainer(view, () => known.parts, known.parts.length);
  const { definition } = plain;
  const count = definition.members.length + definition.bases.length;
  return count === 0 ? undefined : partsContainer(view, () => structParts(view, value, definition, expression, access), undefined);
}

function structParts(view: ValueView, value: Value, type: StructType, expression: string | undefined, access: '.' | '->'): ValuePart[] {
  const whole = access === '->' && expression !== undefined ? `*${operand(expression)}` : expression;
  const bases = type.bases.map((base): ValuePart => {
    const name = strip(base.type).qualifiedName ?? 'base';
    return { name, value: baseValue(value, base), expression: whole === undefined ? undefined : `(${name})(${whole})`, hint: { kind: 'baseClass' } };
  });
  const members = presentMembers(value, type).flatMap((member): ValuePart[] => {
    const part = unlessFailed(() => memberValue(view.expressions.names, value, type, member), () => undefined);
    if (part === undefined) return [];
    const inner = part.plain;
    // Members of unnamed parts are written as if they were members of the whole.
    if (member.name === undefined) return inner.kind === 'struct' ? structParts(view, part, inner.definition, expression, access) : [];
    const hint = member.isStatic ? { kind: 'data', attributes: ['static'] } : member.accessibility === 'public' ? undefined : { visibility: member.accessibility };
    return [{ name: member.name, value: part, expression: expression === undefined ? undefined : `${operand(expression)}${access}${member.name}`, hint }];
  });
  return [...bases, ...members];
}

function partsContainer(view: ValueView, make: () => readonly ValuePart[], named: number | undefined): Container {
  let made: readonly ValuePart[] | undefined;
  const parts = (): readonly ValuePart[] => (made ??= make());
  return {
    view,
    ...(named === undefined ? {} : { named }),
    variables: ({ filter, start, count }) => (filter === 'indexed' ? [] : parts().slice(start, count === 0 ? undefined : start + count).map((part) => view.variable(part))),
    part: (name) => parts().find((part) => part.name === name),
  };
}

function indexedContainer(view: ValueView, parts: readonly ValuePart[]): Container {
  return {
    view,
    indexed: parts.length,
    variables: (page) => (page.filter === 'named' ? [] : paged(parts, page).map((part) => view.variable(part))),
    part: (name) => parts.find((part) => part.name === name),
  };
}

function arrayContainer(view: ValueView, value: Value, type: ArrayType, expression: string | undefined): Container | undefined {
  const size = strip(type.element).size;
  const count = type.count ?? 0;
  if (count === 0 || size === 0) return undefined;
  const part = (index: number): ValuePart => ({
    name: `[${index}]`, value: value.component(type.element, index * size), expression: expression === undefined ? undefined : `${operand(expression)}[${index}]`, hint: undefined,
  });
  return {
    view,
    indexed: count,
    variables: ({ filter, start, count: wanted }: Page) => {
      if (filter === 'named') return [];
      const end = Math.min(count, start + (wanted === 0 ? MOST_ELEMENTS : wanted));
      return Array.from({ length: Math.max(0, end - start) }, (_, i) => view.variable(part(start + i)));
    },
    part: (name) => {
      const index = Number(/^\[(\d{1,12})\]$/.exec(name)?.[1] ?? -1);
      return index >= 0 && index < count ? part(index) : undefined;
    },
  };
}

/** In parentheses, unless it binds tightly enough by itself. */
function operand(expression: string): string {
  return /^[\w$:]+((\.|->)\w+|\[\d+\])*$/.test(expression) ? expression : `(${expression})`;
}
