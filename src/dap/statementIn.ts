/** The statement that a client names by `source` and `line`: `FILE:LINE`, with `part` and `instance` if it says so. */
import { UserError } from '../base/errors.js';
import type { Adapter } from './adapter.js';
import type { Arguments } from './arguments.js';

export function statementIn(adapter: Adapter, args: Arguments): string {
  const instance = args.optionalInteger('instance');
  return `${placeIn(adapter, args)}${instance === undefined ? '' : `#${instance}`}`;
}

/** Without its instance. */
export function placeIn(adapter: Adapter, args: Arguments): string {
  const source = args.object('source');
  const path = source.optionalString('path') ?? source.optionalString('name');
  if (path === undefined) throw new UserError('"source" has no path');
  const line = adapter.client.fromLine(args.integer('line'));
  const part = args.optionalInteger('part');
  return `${adapter.sources.inProgram(path)}:${line}${part === undefined ? '' : `.${part}`}`;
}
