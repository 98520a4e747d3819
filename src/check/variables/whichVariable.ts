/**
 * Which variable is meant by an address that somebody takes. The end of an array is the begin of what lies behind it, and `row - 1` is in what lies before it: what the statement names decides, if it
 * is to be had, and where it does not decide nobody knows.
 */
import type { DataThing, DataThings } from './dataThings.js';
import type { Statement } from './statements.js';

export type Meant =
  | { readonly kind: 'thing'; readonly thing: DataThing }
  /** A text, or something else that has no name. */
  | { readonly kind: 'nameless' }
  | { readonly kind: 'uncertain'; readonly among: readonly DataThing[] };

/** How far in front of a variable, or behind its end, a pointer may be that is meant for it. */
const REACH = 64;
/** The same if the address lies in another variable that the statement names: so many elements. */
const FEW_ELEMENTS = 2;
const FEW_BYTES = 16;
/** What it takes to make the address of an end, and one in front of a variable: `row + 8`, `&row[8]`, `for (int one : row)`, `row - 1`. */
const FORWARDS = '(?:[+[]|(?<!:):(?!:))';
const BACKWARDS = '(?:-(?![->]))';
/** What may stand between it and the name. */
const BETWEEN = '[^,;{}=<>?|&]*';
/** Constants that are given no name: texts, tables of a switch, what arrays are initialised with. */
const HAS_NAMELESS = /["{]|\bswitch\b|\b__(func|FUNCTION|PRETTY_FUNCTION)__\b/;

/** `statement` has taken the address so many times. */
export function whichVariable(things: DataThings, target: number, statement: Statement | undefined, times: number): Meant {
  const at = things.at(target);
  const ending = things.endingAt(target).filter((thing) => !at.includes(thing));
  return statement === undefined ? byPlace(things, target, at, ending) : byNames(things, target, { at, ending }, statement, times);
}

function byNames(things: DataThings, target: number, { at, ending }: { readonly at: readonly DataThing[]; readonly ending: readonly DataThing[] }, statement: Statement, times: number): Meant {
  const { names, text } = statement;
  const isNamed = ({ name }: DataThing): boolean => names.has(name);
  const near = things.near(target, REACH).filter((thing) => !at.includes(thing) && !ending.includes(thing));
  const here = at.filter(isNamed);
  const hasNameless = HAS_NAMELESS.test(text);
  const ended = ending.filter((thing) => isNamed(thing) && isMoved(statement, thing, FORWARDS));
  const far = near.filter((thing) => thing.end < target && !(thing.isConstant && hasNameless) && isNamed(thing) && isMoved(statement, thing, FORWARDS));
  const behind = near.filter((thing) => thing.begin > target && (here.length === 0 || isClose(thing, target)) && isNamed(thing) && isMoved(statement, thing, BACKWARDS));
  const candidates = [...here, ...ended, ...(here.length + ended.length > 0 ? [] : far), ...behind];
  const [only, ...others] = candidates;
  if (others.length > 0) return uncertain(candidates);
  const isAt = only !== undefined && at.includes(only);
  // A macro that we do not know of may stand for the end of another one.
  if (isAt && (times <= (names.get(only.name) ?? 0) || ending.length === 0)) return { kind: 'thing', thing: only };
  if (only !== undefined) return isAt || (only.isConstant && hasNameless) ? uncertain([only, ...at, ...ending]) : { kind: 'thing', thing: only };
  return nobodyNamed(at, ending, near, hasNameless) ?? uncertain([...at, ...ending, ...near]);
}

/** What programs need not name: constants, and what the compiler has made for itself. */
function nobodyNamed(at: readonly DataThing[], ending: readonly DataThing[], near: readonly DataThing[], hasNameless: boolean): Meant | undefined {
  const [only, ...others] = at;
  if (only !== undefined) return others.length + ending.length === 0 && only.variable === undefined ? { kind: 'thing', thing: only } : undefined;
  const isAmongConstants = [...ending, ...near].every(({ isConstant }) => isConstant);
  return isAmongConstants && (hasNameless || ending.length === 0) ? { kind: 'nameless' } : undefined;
}

/** Whether a statement may add something to a variable's address, or subtract it. */
function isMoved({ text, hasMacros }: Statement, { name }: DataThing, by: string): boolean {
  const own = `(?<![\\w$])${name.replace(/\W/g, '\\$&')}(?![\\w$])`;
  return new RegExp(hasMacros ? by : `${own}${BETWEEN}${by}|${by}${BETWEEN}${own}`).test(text);
}

/** Whether an address may be that of a few elements in front of a variable. */
function isClose({ begin, variable }: DataThing, target: number): boolean {
  const { elementSize = 1 } = variable ?? {};
  return begin - target <= Math.max(elementSize * FEW_ELEMENTS, FEW_BYTES) && (begin - target) % elementSize === 0;
}

function byPlace(things: DataThings, target: number, at: readonly DataThing[], ending: readonly DataThing[]): Meant {
  const [only, ...others] = at;
  const [before, ...more] = ending;
  if (only === undefined && before !== undefined && more.length === 0 && !before.isConstant) return { kind: 'thing', thing: before };
  const near = things.near(target, REACH);
  if (only === undefined) return nobodyNamed(at, ending, near, false) ?? uncertain(near);
  const behind = near.filter((thing) => thing.begin > target && thing.isAggregate && isClose(thing, target));
  const isSure = others.length === 0 && ending.every(({ isAggregate }) => !isAggregate) && (target === only.begin || behind.length === 0);
  return isSure ? { kind: 'thing', thing: only } : uncertain([...at, ...ending, ...(target === only.begin ? [] : behind)]);
}

function uncertain(among: readonly DataThing[]): Meant {
  return { kind: 'uncertain', among };
}
