/**
 * Pointers to global variables that can be made other ones: for each variable all places in a file where its address is
 * taken. A variable of which one place is not known, or may be meant for another one, is not among them, since programs
 * compare pointers.
 */
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { STT } from '../../elf/elfSymbols.js';
import { addressTakers, type Taker } from './addressTakers.js';
import { type DataThing, DataThings, thingsIn } from './dataThings.js';
import type { GlobalVariable } from './globalVariables.js';
import { type Statement, Statements, type LinesOf } from './statements.js';
import { type HeldAddresses, whichVariable } from './whichVariable.js';

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

/** Not a comparison. */
const INITIALISES = / = (?!=)/;

export const NO_POINTERS: GlobalPointers = { variables: [], bias: 0 };

interface FoundPointers {
  readonly pointers: GlobalPointers;
  /** By address of the instruction: what it means, if that is certain; undefined is nothing that has a name. */
  readonly meant: ReadonlyMap<number, GlobalVariable | undefined>;
  /** What there may be pointers to that are not known. */
  readonly uncertain: ReadonlySet<DataThing>;
  readonly things: readonly DataThing[];
}

export const NOTHING_FOUND: FoundPointers = { pointers: NO_POINTERS, meant: new Map(), uncertain: new Set(), things: [] };

export function globalPointers(elf: ElfFile, info: DebugInfo, variables: readonly GlobalVariable[], linesOf: LinesOf): FoundPointers {
  const all = variables.length === 0 ? [] : thingsIn(elf, variables);
  const things = new DataThings(all);
  if (!things.hasMovable) return { ...NOTHING_FOUND, things: all };
  const { takers, notUnderstood } = addressTakers(elf, info, things);
  const uncertain = new Set(notUnderstood);
  const places = new Map<DataThing, Taker[]>();
  const meant = new Map<number, GlobalVariable | undefined>();
  const functions = new Set(namesOfFunctions(elf));
  const statements = new Statements(linesOf, (name) => functions.has(name));
  const held = heldAddresses(takers, things);
  for (const taker of takers) {
    const found = whichVariable(things, taker.target, () => statementOf(taker, things, statements), held);
    if (found.kind === 'uncertain') {
      for (const thing of found.among) uncertain.add(thing);
      continue;
    }
    const thing = found.kind === 'thing' ? found.thing : undefined;
    meant.set(taker.at, thing?.variable);
    if (thing !== undefined) addTo(places, thing, taker);
  }
  const pointed = [...places].flatMap(([thing, own]) => (thing.variable === undefined || !thing.isMovable || uncertain.has(thing) ? [] : [pointedVariable(thing.variable, own)]));
  return { pointers: { variables: pointed, bias: 0 }, meant, uncertain, things: all };
}

function pointedVariable(variable: GlobalVariable, takers: readonly Taker[]): PointedVariable {
  return { variable, instructions: placesIn(takers.filter(({ code }) => code !== undefined), variable), addends: placesIn(takers.filter(({ code }) => code === undefined), variable) };
}

function placesIn(takers: readonly Taker[], { address }: GlobalVariable): PointerPlace[] {
  return takers.map(({ at, target }) => ({ at, offset: target - address }));
}

/** Undefined if sources do not say, or it is not known what is initialised. */
function statementOf({ at, code, word }: Taker, things: DataThings, statements: Statements): Statement | undefined {
  if (code !== undefined) return statements.at(code.unit, at);
  const { name = '', declared } = (word === undefined ? undefined : things.at(word).find(({ variable }) => variable !== undefined)?.variable) ?? {};
  const found = declared && statements.in(declared.unit, declared.path, declared.line);
  // The declaration may be another one than that which says what is in it.
  return found?.names.has(name) === true && INITIALISES.test(found.text) ? found : undefined;
}

function heldAddresses(takers: readonly Taker[], things: DataThings): HeldAddresses {
  const held = new Map<string, number[]>();
  for (const { target, word } of takers) for (const { name } of word === undefined ? [] : things.at(word)) addTo(held, name, target);
  return held;
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function* namesOfFunctions({ symbols }: ElfFile): Generator<string> {
  for (const { type, name } of [...symbols.all(), ...symbols.undefined()]) if (type === STT.FUNC || type === STT.GNU_IFUNC) yield name;
}

export function movedPointers({ variables, bias }: GlobalPointers, by: number): GlobalPointers {
  const place = ({ at, offset }: PointerPlace): PointerPlace => ({ at: at + by, offset });
  return {
    variables: variables.map(({ variable, instructions, addends }) => ({ variable: { ...variable, address: variable.address + by }, instructions: instructions.map(place), addends: addends.map(place) })),
    bias: bias + by,
  };
}
