/**
 * Which variable is meant by an address that the program takes. Mostly there is only one that has it. But the end of an
 * array may be the begin of what lies behind it, and `row - 1` is in what lies before it: then what the statement names
 * decides, if it is understood. A wrong answer would change what the program does, so that what is not certain is said
 * to be so.
 */
import type { DataThing, DataThings } from './dataThings.js';
import type { Statement } from './statements.js';

type Meant =
  | { readonly kind: 'thing'; readonly thing: DataThing }
  /** A text, or something else that has no name. */
  | { readonly kind: 'nameless' }
  | { readonly kind: 'uncertain'; readonly among: readonly DataThing[] };

/** How far in front of a variable, or behind its end, a pointer may be that is meant for it. */
const REACH = 64;
/** The same if the address lies in another variable: so many elements. */
const FEW_ELEMENTS = 2;
const FEW_BYTES = 16;
/** What it takes to make the address of an end, and one in front of a variable: `row + 8`, `&row[8]`, `row - 1`. */
const FORWARDS = '[+[]';
const BACKWARDS = '(?<!-)-(?![->])';
/** What may stand between it and the name. */
const BETWEEN = '[^,;{}=<>?|&]*';
/** What is given no name: texts, tables of a switch, what arrays are initialised with. */
const HAS_NAMELESS = /["{]|\bswitch\b|\b__(func|FUNCTION|PRETTY_FUNCTION)__\b/;

/** By name of a variable: the addresses that it holds when the program begins. */
export type HeldAddresses = ReadonlyMap<string, readonly number[]>;

export function whichVariable(things: DataThings, target: number, statementOf: () => Statement | undefined, held: HeldAddresses): Meant {
  const at = things.at(target);
  const near = things.near(target, REACH).filter((thing) => !at.includes(thing));
  const ending = near.filter(({ begin, end }) => end === target && begin < end);
  const close = near.filter((thing) => thing.begin > target && thing.isAggregate && isClose(thing, target));
  const sure = byPlace(at, ending, close);
  if (sure !== undefined) return sure;
  const possible = [...at, ...ending, ...close];
  const leadsToOne = (name: string): boolean => held.get(name)?.some((address) => possible.some(({ begin, end }) => address >= begin && address <= end)) === true;
  const statement = statementOf();
  const named = statement?.isUnderstood !== true || statement.constants.some(leadsToOne) ? undefined : byNames(target, at, near, statement);
  if (named !== undefined) return named;
  if (possible.length > 0) return { kind: 'uncertain', among: possible };
  return near.every(isAmongNameless) ? NAMELESS : { kind: 'uncertain', among: near };
}

const NAMELESS: Meant = { kind: 'nameless' };

/** Whatever the statement is, if nothing else can have the address. Behind it there may be something without a name. */
function byPlace(at: readonly DataThing[], ending: readonly DataThing[], close: readonly DataThing[]): Meant | undefined {
  const [only, ...others] = [...at, ...ending];
  const isSure = only !== undefined && others.length + close.length === 0 && !(at.length === 0 && only.isAmongNameless);
  return isSure ? { kind: 'thing', thing: only } : undefined;
}

/** The only one that the statement may mean; undefined if there are several, or none. */
function byNames(target: number, at: readonly DataThing[], near: readonly DataThing[], statement: Statement): Meant | undefined {
  const isMeant = (thing: DataThing, by: string): boolean => statement.names.has(thing.name) && isMoved(statement, thing, by);
  // What the compiler has made for itself needs no name.
  const here = at.filter((thing) => statement.names.has(thing.name) || (thing.variable === undefined && thing.begin < thing.end));
  const ended = near.filter((thing) => thing.end === target && thing.begin < thing.end && isMeant(thing, FORWARDS));
  const behind = near.filter((thing) => thing.begin > target && (here.length === 0 || isClose(thing, target)) && isMeant(thing, BACKWARDS));
  const beyond = here.length + ended.length > 0 ? [] : near.filter((thing) => thing.end < target && isMeant(thing, FORWARDS));
  const [only, ...others] = [...here, ...ended, ...behind, ...beyond];
  const hasNameless = HAS_NAMELESS.test(statement.text);
  if (only === undefined) return at.length === 0 && hasNameless && near.every(isAmongNameless) ? NAMELESS : undefined;
  return others.length > 0 || (at.length === 0 && only.isAmongNameless && hasNameless) ? undefined : { kind: 'thing', thing: only };
}

/** Whether a statement may add something to a variable's address, or subtract it. */
function isMoved({ text, hasMacros }: Statement, { name, variable }: DataThing, by: string): boolean {
  if (hasMacros) return new RegExp(by).test(text);
  const own = `(?<![\\w$])${name.replace(/\W/g, '\\$&')}(?![\\w$])`;
  // An element of a row is a value, unless its address is taken.
  const bare = variable?.isRow === true ? `${own}(?! \\[)` : own;
  return new RegExp(`${bare}${BETWEEN}${by}|${by}${BETWEEN}${bare}|& (?:\\( )*${own} \\[`).test(text);
}

/** Whether an address may be that of a few elements in front of a variable. */
function isClose({ begin, variable }: DataThing, target: number): boolean {
  const { elementSize = 1 } = variable ?? {};
  return begin - target <= Math.max(elementSize * FEW_ELEMENTS, FEW_BYTES) && (begin - target) % elementSize === 0;
}

function isAmongNameless(thing: DataThing): boolean {
  return thing.isAmongNameless;
}
