/** Trees of values in the protocol's words: variables, and the numbers under which the client unfolds them. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ChangingSurroundings } from '../debugger/control/changingSurroundings.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { unlessFailed } from '../debugger/values/expressionError.js';
import { Expressions } from '../debugger/values/expressions.js';
import type { ValueHistory } from '../debugger/values/history.js';
import type { PrintSettings } from '../debugger/values/print/settings.js';
import { toInteger } from '../debugger/values/scalars.js';
import type { Child, Children } from '../debugger/values/tree/child.js';
import { childrenOf } from '../debugger/values/tree/children.js';
import type { Value } from '../debugger/values/value.js';
import type { FrameReference } from './adapter.js';
import { addressText } from './addresses.js';
import type { References } from './references.js';

/** What the client unfolds: a value, or a scope of a frame. */
export interface Container {
  /** What its children are values of. */
  readonly view: ValueView;
  readonly children: Children;
}

interface Page {
  /** Only those with names, or only those with numbers. */
  readonly filter: 'named' | 'indexed' | undefined;
  readonly start: number;
  /** 0: all. */
  readonly count: number;
}

type Unfoldable = Pick<DebugProtocol.Variable, 'variablesReference' | 'namedVariables' | 'indexedVariables'>;
type Details = Unfoldable & Pick<DebugProtocol.Variable, 'type' | 'memoryReference' | 'evaluateName'>;

/** What is needed to show values of one frame. */
export class ValueView {
  readonly expressions: Expressions;

  constructor(
    readonly program: ProgramView,
    readonly around: ChangingSurroundings,
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

  /** Some children. Those that are nowhere are left out. */
  variables({ isIndexed, list }: Children, { filter, start, count }: Page): DebugProtocol.Variable[] {
    if (filter === (isIndexed ? 'named' : 'indexed')) return [];
    return list(start, count === 0 ? undefined : count).flatMap((child) => this.variable(child));
  }

  private variable(child: Child): DebugProtocol.Variable[] {
    const value = unlessFailed(() => child.value(), () => undefined);
    if (value === undefined) return [];
    const { name, format, expression } = child;
    const hint = hintOf(child);
    const text = this.text(value, format === undefined ? this.settings : { format });
    return [{ name, value: text, ...this.details(value, expression), ...(hint === undefined ? {} : { presentationHint: hint }) }];
  }

  /** What is the same in answers about variables and about expressions. */
  details(value: Value, expression: string | undefined): Details {
    const children = childrenOf(this.expressions, value, expression, this.settings);
    const memory = memoryOf(value);
    return {
      type: this.expressions.typeName(value.type),
      ...(children === undefined ? { variablesReference: 0 } : this.unfoldable(children)),
      ...(memory === undefined ? {} : { memoryReference: addressText(memory) }),
      ...(expression === undefined ? {} : { evaluateName: expression }),
    };
  }

  unfoldable(children: Children): Unfoldable {
    const { isIndexed, count } = children;
    const counted = count === undefined ? {} : isIndexed ? { indexedVariables: count } : { namedVariables: count };
    return { variablesReference: this.containers.add({ view: this, children }), ...counted };
  }
}

function hintOf({ kind, visibility }: Child): DebugProtocol.VariablePresentationHint | undefined {
  if (kind === 'base') return { kind: 'baseClass' };
  if (kind === 'static') return { kind: 'data', attributes: ['static'] };
  return visibility === undefined ? undefined : { visibility };
}

/** Where a pointer leads; otherwise where the value is. */
function memoryOf(value: Value): bigint | undefined {
  if (value.plain.kind !== 'pointer') return value.address;
  return unlessFailed(() => (value.isOptimisedOut ? undefined : BigInt.asUintN(64, toInteger(value))), () => undefined);
}
