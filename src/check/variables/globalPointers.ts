/**
 * Pointers to global variables that can be made other ones: for each variable all places in a file where its address is taken. A variable of which one place is not known, or may be meant for another
 * one, is not among them, since programs compare pointers.
 */
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { addressTakers, type Taker } from './addressTakers.js';
import { type DataThing, DataThings, thingsIn } from './dataThings.js';
import type { GlobalVariable } from './globalVariables.js';
import { type Statement, Statements, type LinesOf } from './statements.js';
import { whichVariable } from './whichVariable.js';

/** A place where a pointer to a variable is made, and how far from its begin it points. */
export interface PointerPlace {
  readonly at: number;
  readonly offset: number;
}

export interface PointedVariable {
  readonly variable: GlobalVariable;
  /** `lea reg, [rip + disp32]`. */
  readonly instructions: readonly PointerPlace[];
  /** Addends of relocations. */
  readonly addends: readonly PointerPlace[];
}

export interface GlobalPointers {
  readonly variables: readonly PointedVariable[];
  /** From addresses in the file to those in memory. */
  readonly bias: number;
}

export const NO_POINTERS: GlobalPointers = { variables: [], bias: 0 };

export interface FoundPointers {
  readonly pointers: GlobalPointers;
  /** By address of the instruction: what it means, if that is certain; undefined is nothing that has a name. */
  readonly meant: ReadonlyMap<number, GlobalVariable | undefined>;
}

export function globalPointers(elf: ElfFile, info: DebugInfo, variables: readonly GlobalVariable[], linesOf: LinesOf): FoundPointers {
  const things = new DataThings(variables.length === 0 ? [] : thingsIn(elf, variables));
  if (!things.hasMovable) return { pointers: NO_POINTERS, meant: new Map() };
  const { takers, notUnderstood } = addressTakers(elf, info, things);
  const uncertain = new Set(notUnderstood);
  const places = new Map<DataThing, Taker[]>();
  const meant = new Map<number, GlobalVariable | undefined>();
  for (const { taker, statement, times } of withStatements(takers, things, new Statements(linesOf))) {
    const found = whichVariable(things, taker.target, statement, times);
    if (found.kind === 'uncertain') {
      for (const thing of found.among) uncertain.add(thing);
      continue;
    }
    const thing = found.kind === 'thing' ? found.thing : undefined;
    meant.set(taker.at, thing?.variable);
    if (thing !== undefined) places.set(thing, [...(places.get(thing) ?? []), taker]);
  }
  const pointed = [...places].flatMap(([thing, own]) => (thing.variable === undefined || !thing.isMovable || uncertain.has(thing) ? [] : [pointedVariable(thing.variable, own)]));
  return { pointers: { variables: pointed, bias: 0 }, meant };
}

function pointedVariable(variable: GlobalVariable, takers: readonly Taker[]): PointedVariable {
  return { variable, instructions: placesIn(takers.filter(({ code }) => code !== undefined), variable), addends: placesIn(takers.filter(({ code }) => code === undefined), variable) };
}

function placesIn(takers: readonly Taker[], { address }: GlobalVariable): PointerPlace[] {
  return takers.map(({ at, target }) => ({ at, offset: target - address }));
}

/** With how often the same statement, in the same function, takes the same address. */
function* withStatements(takers: readonly Taker[], things: DataThings, statements: Statements): Generator<{ taker: Taker; statement: Statement | undefined; times: number }> {
  const found = takers.map((taker) => {
    const statement = statementOf(taker, things, statements);
    return { taker, statement, key: `${taker.code?.low} ${taker.target} ${statement?.key}` };
  });
  const times = new Map<string, number>();
  for (const { key } of found) times.set(key, (times.get(key) ?? 0) + 1);
  for (const { taker, statement, key } of found) yield { taker, statement, times: times.get(key) ?? 0 };
}

/** Undefined if sources do not say, or nobody knows what is initialised. */
function statementOf({ at, code, word }: Taker, things: DataThings, statements: Statements): Statement | undefined {
  if (code !== undefined) return statements.at(code.unit, at);
  const initialised = word === undefined ? undefined : things.at(word).find(({ variable }) => variable !== undefined)?.variable;
  return initialised?.declared && statements.declaring(initialised.declared);
}

export function movedPointers({ variables, bias }: GlobalPointers, by: number): GlobalPointers {
  const place = ({ at, offset }: PointerPlace): PointerPlace => ({ at: at + by, offset });
  return {
    variables: variables.map(({ variable, instructions, addends }) => ({ variable: { ...variable, address: variable.address + by }, instructions: instructions.map(place), addends: addends.map(place) })),
    bias: bias + by,
  };
}
