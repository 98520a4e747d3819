/**
 * Variables of a frame as lists: for `info locals`, `info args`, the parentheses of a backtrace, and views of
 * variables.
 */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Scope } from '../../dwarf/scope.js';
import { strip, type Type } from '../../dwarf/types.js';
import type { Variable } from '../../dwarf/variable.js';
import { parameterAtEntry, referredAtEntry } from './entryValues.js';
import { unlessFailed, type ExpressionError } from './expressionError.js';
import type { Expressions } from './expressions.js';
import type { PrintSettings } from './print/settings.js';
import { scopesOfCall } from './scopeLookup.js';
import { referred, syntheticPointer } from './references.js';
import type { SelectedFrame, Surroundings } from './surroundings.js';
import type { Value } from './value.js';
import { frameValue } from './variableValue.js';

export interface NamedValue {
  readonly name: string;
  /** Where it is declared, if that is known. */
  readonly line: number | undefined;
  readonly value: Value;
  /** Hidden by a variable of the same name in a block inside. */
  readonly isHidden: boolean;
}

/** Variables of the blocks around where the frame stands, innermost block first, as gdb lists them. */
export function localsOf(expressions: Expressions): NamedValue[] {
  const { frame } = expressions.around;
  if (frame === undefined) return [];
  return valuesOf(expressions, frame, scopesOf(frame), (variable) => !variable.isParameter);
}

export function argumentsOf(expressions: Expressions): NamedValue[] {
  const { frame } = expressions.around;
  if (frame === undefined) return [];
  const scopes = scopesOf(frame);
  const inner = scopes.flatMap((scope) => shownVariables(scope).flatMap(({ name, isParameter }) => (name === undefined || isParameter ? [] : [name])));
  return valuesOf(expressions, frame, scopes.slice(-1), (variable) => variable.isParameter, inner);
}

/**
 * One argument, by its name or its number; undefined if the function has none such. Does not look where the others are.
 */
export function argumentOf(expressions: Expressions, which: string | number): Value | undefined {
  const { frame } = expressions.around;
  const scope = frame === undefined ? undefined : scopesOf(frame).at(-1);
  if (frame === undefined || scope === undefined) return undefined;
  const parameters = shownVariables(scope).filter((variable) => variable.isParameter);
  const found = typeof which === 'string' ? parameters.find(({ name }) => name === which) : parameters[which];
  return found === undefined ? undefined : frameValue(expressions.around, found, frame.stack);
}

function scopesOf(frame: SelectedFrame): Scope[] {
  return unlessCorrupt(() => scopesOfCall(frame), () => []);
}

function valuesOf(
  expressions: Expressions, frame: SelectedFrame, scopes: readonly Scope[], isWanted: (variable: Variable) => boolean, inner: readonly string[] = [],
): NamedValue[] {
  const seen = new Set(inner);
  return scopes.flatMap((scope) => {
    const list = shownVariables(scope).filter(isWanted).map((variable): NamedValue => {
      const name = variable.name as string;
      return {
        name, value: frameValue(expressions.around, variable, frame.stack), isHidden: seen.has(name),
        get line() { return unlessCorrupt(() => variable.declaration?.line, () => undefined); },
      };
    });
    for (const { name } of list) seen.add(name);
    return list;
  });
}

function shownVariables(scope: Scope): Variable[] {
  return unlessCorrupt(() => scope.variables.filter((variable) => variable.name !== undefined && !variable.isDeclaration), () => []);
}

/** A variable's value in a list; an error in its place. */
export function variableText(expressions: Expressions, name: string, value: Value): string {
  return unlessFailed(() => expressions.printer().nested(value.kept(), 0, true), (error) => `<error reading variable ${name} (${error.message})>`);
}

/** What stands in the parentheses of a frame: `argc=1, argv=0x7ffe...`. */
export function frameArgumentsText(expressions: Expressions): string {
  const { frame } = expressions.around;
  const scope = frame === undefined ? undefined : scopesOf(frame).at(-1);
  if (frame === undefined || scope === undefined) return '';
  const parameters = shownVariables(scope).filter((variable) => variable.isParameter);
  const { frameArguments } = expressions.settings;
  if (frameArguments === 'presence') return parameters.length === 0 ? '' : '...';
  // Of several of one name (copies that were made for a constant have two) gdb shows the last, each time.
  return parameters.map(({ name }) => argumentText(expressions, frame, parameters.findLast((other) => other.name === name) as Variable)).join(', ');
}

/** With the value at entry, where that is known and tells more. */
function argumentText(expressions: Expressions, frame: SelectedFrame, parameter: Variable): string {
  const { settings, around } = expressions;
  const name = parameter.name as string;
  const value = frameValue(around, parameter, frame.stack);
  const own = `${name}=${parameterText(expressions, value)}`;
  const isUnknown = settings.entryValues === 'no' || settings.frameArguments === 'none';
  // Of references only the object at that time tells something.
  if (value.plain.kind === 'reference') return !isUnknown && isReferredSame(around, value, value.plain.to, parameter, frame) ? `${name}=${name}@entry=${parameterText(expressions, value)}` : own;
  const entry = isUnknown ? undefined : parameterAtEntry(around, parameter, frame.stack);
  if (entry === undefined || (settings.entryValues === 'if-needed' && !value.isOptimisedOut)) return own;
  const entryText = `${name}@entry=${parameterText(expressions, entry)}`;
  if (settings.entryValues === 'only') return entryText;
  if (sameValue(value, entry) && settings.entryValues !== 'both') return `${name}=${entryText}`;
  const isReplaced = value.isOptimisedOut && ['compact', 'if-needed', 'preferred'].includes(settings.entryValues);
  return isReplaced ? entryText : `${own}, ${entryText}`;
}

function isReferredSame(around: Surroundings, reference: Value, to: Type, parameter: Variable, frame: SelectedFrame): boolean {
  const before = referredAtEntry(around, to, parameter, frame.stack);
  return before !== undefined && unlessFailed(() => sameValue(referred(reference), before), () => false);
}

function sameValue(a: Value, b: Value): boolean {
  return unlessFailed(() => {
    if (a.isOptimisedOut || a.contents.unknown !== undefined) return false;
    return a.bytes.length === b.bytes.length && a.bytes.every((byte, i) => byte === b.bytes[i]);
  }, () => false);
}

function parameterText(expressions: Expressions, value: Value): string {
  const { frameArguments } = expressions.settings;
  if (frameArguments === 'none') return '...';
  if (frameArguments === 'scalars' && !isScalar(value)) return expressions.printer().summary(value) ?? '...';
  const plain: Partial<PrintSettings> = { pretty: false, array: false };
  return unlessFailed(() => expressions.printer(plain).nested(value, 0, true), (error: ExpressionError) => `<error reading variable: ${error.message}>`);
}

function isScalar(value: Value): boolean {
  if (syntheticPointer(value) !== undefined) return true;
  const plain = value.plain.kind === 'reference' ? strip(value.plain.to) : value.plain;
  return plain.kind !== 'struct' && plain.kind !== 'array';
}
