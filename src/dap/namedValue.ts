/** What a request is about: a variable of something that was unfolded, or an expression in a frame. */
import { UserError } from '../base/errors.js';
import type { Adapter, FrameReference } from './adapter.js';
import { addressText } from './addresses.js';
import type { Arguments } from './arguments.js';
import type { ValuePart } from './containers.js';

export interface NamedValue {
  readonly expression: string;
  /** Where it has its meaning. */
  readonly at: FrameReference | undefined;
}

/** With `variablesReference`: its variable `name`. Without: the expression under `key`, in the frame `frameId`. */
export function namedValue(adapter: Adapter, args: Arguments, key: string): NamedValue {
  void adapter.debug;
  const reference = args.optionalInteger('variablesReference') ?? 0;
  if (reference !== 0) return { expression: expressionOf(adapter, reference, args.string('name')), at: adapter.containers.get(reference).view.at };
  const frame = args.optionalInteger('frameId');
  return { expression: args.string(key), at: frame === undefined ? undefined : adapter.frames.get(frame) };
}

/** A variable of a container, by the name that the client was told. */
export function partOf(adapter: Adapter, reference: number, name: string): ValuePart {
  void adapter.debug;
  const part = adapter.containers.get(reference).part(name);
  if (part === undefined) throw new UserError(`no variable ${name.slice(0, 100)} there`);
  return part;
}

function expressionOf(adapter: Adapter, reference: number, name: string): string {
  const { value, expression } = partOf(adapter, reference, name);
  if (expression !== undefined) return expression;
  const { view } = adapter.containers.get(reference);
  if (value.address === undefined) throw new UserError(`${name.slice(0, 100)} is not in memory`);
  return `* (${view.expressions.typeName(value.type)} *) ${addressText(value.address)}`;
}
