/** What a request is about: a variable of something that was unfolded, or an expression in a frame. */
import { UserError } from '../base/errors.js';
import type { Child } from '../debugger/values/tree/child.js';
import type { Adapter, FrameReference } from './adapter.js';
import { addressText } from './addresses.js';
import type { Arguments } from './arguments.js';

export interface NamedExpression {
  readonly expression: string;
  /** Where it has its meaning. */
  readonly at: FrameReference | undefined;
}

/** With `variablesReference`: its variable `name`. Without: the expression under `key`, in the frame `frameId`. */
export function namedValue(adapter: Adapter, args: Arguments, key: string): NamedExpression {
  void adapter.debug;
  const reference = args.optionalInteger('variablesReference') ?? 0;
  if (reference !== 0) {
    return { expression: expressionOf(adapter, reference, args.string('name')), at: adapter.containers.get(reference).view.at };
  }
  const frame = args.optionalInteger('frameId');
  return { expression: args.string(key), at: frame === undefined ? undefined : adapter.frames.get(frame) };
}

/** A variable of a container, by the name that the client was told. */
export function childOf(adapter: Adapter, reference: number, name: string): Child {
  void adapter.debug;
  const child = adapter.containers.get(reference).children.find(name);
  if (child === undefined) throw new UserError(`no variable ${name.slice(0, 100)} there`);
  return child;
}

function expressionOf(adapter: Adapter, reference: number, name: string): string {
  const child = childOf(adapter, reference, name);
  if (child.expression !== undefined) return child.expression;
  const value = child.value();
  const { view } = adapter.containers.get(reference);
  if (value.address === undefined) throw new UserError(`${name.slice(0, 100)} is not in memory`);
  return `* (${view.expressions.typeName(value.type)} *) ${addressText(value.address)}`;
}
