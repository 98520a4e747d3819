/**
 * What an alteration comes to in the code of a program: where its statement is, how the code is changed for all
 * instances, and what is done to a thread for one of them. Planning looks at code only, and changes nothing: whatever
 * cannot be done is said here, in one line.
 */
import { UserError } from '../base/errors.js';
import { type GuestAddr, guestAddr, hex } from '../base/types.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { parseStatement } from '../debugger/program/statementText.js';
import type { CodeStep } from '../x86/codeSteps.js';
import { type Alteration, alterationText, bitsOf } from './alteration.js';
import { comparisonsOf, isByCases, tableTargets } from './caseCode.js';
import { CodePatches, type Patch, type ReadCode, setResult } from './codePatches.js';
import { areCopies, type Condition, conditionsOf, edgesOf } from './conditions.js';
import { functionsNamed, resultKindOf } from './functionsNamed.js';
import { type FunctionCode, isIn, type SourceContext, type StatementCode, statementsAt, type Stretch } from './statementCode.js';
import { leftOut, type LeftOut } from './leaveOut.js';
import type { SpareRooms } from './spareRoom.js';

/** What happens to one instance. */
export type AtInstance =
  /** Control goes on at the end of the stretch that it has come to. */
  | { readonly kind: 'skip'; readonly stretches: readonly Stretch[] }
  /** The condition, or that of its copies which is come to, is decided otherwise. */
  | { readonly kind: 'invert'; readonly conditions: readonly Condition[]; readonly around: FunctionCode }
  /** From an instruction control goes elsewhere (caseTarget.ts). */
  | { readonly kind: 'goTo'; readonly from: CodeStep; readonly to: number }
  /** The call gives a result without being made. */
  | { readonly kind: 'call'; readonly call: CodeStep; readonly bits: bigint; readonly isFloat: boolean }
  /** The function returns at once. */
  | { readonly kind: 'return'; readonly bits: bigint | undefined; readonly isFloat: boolean }
  /** It has to be done by changed code, from the instance to the next one. */
  | { readonly kind: 'patches' };

/** An alteration of one function's code. */
export interface Plan {
  readonly alteration: Alteration;
  /** All its instructions: control that is at none of them is elsewhere. */
  readonly addresses: readonly GuestAddr[];
  /** Where control arrives. */
  readonly entries: readonly GuestAddr[];
  readonly patches: readonly Patch[];
  readonly atInstance: AtInstance;
  /** Undefined for functions. */
  readonly code: StatementCode | undefined;
}

const MOST_SHOWN = 4;

/** One plan for each function that has code of the statement. Throws a UserError. */
export function plansFor(alteration: Alteration, context: SourceContext, rooms: SpareRooms): Plan[] {
  const { program } = context;
  const { what, place } = alteration;
  const isStatement = place.startsWith('*') || parseStatement(place) !== undefined;
  if (!isStatement && what === 'switch') throw new UserError(`${alterationText(alteration)}: name a line, as FILE:LINE`);
  if (!isStatement) return functionPlans(alteration, program, rooms);
  const statements = statementsAt(place, context);
  return statements.map((code) => (what === 'switch' ? switchPlan(alteration, code, program, rooms) : suppressPlan(alteration, code, program, rooms)));
}

export function readerOf({ state, thread }: ProgramView): ReadCode {
  return (address, length) => state.read(thread.id, guestAddr(address), length) ?? undefined;
}

function switchPlan(alteration: Alteration, code: StatementCode, program: ProgramView, rooms: SpareRooms): Plan {
  const conditions = conditionsMeant(alteration, code);
  const patches = new CodePatches(readerOf(program), rooms.of(code.module));
  // One instance is decided by the thread's registers: then code that cannot be changed is no hindrance.
  if (alteration.to === undefined && alteration.which === 'all') for (const condition of conditions) invert(condition, code.function, patches);
  return { ...placed(alteration, code), patches: patches.patches, atInstance: { kind: 'invert', conditions, around: code.function }, code };
}

/** One, or its copies. */
function conditionsMeant(alteration: Alteration, code: StatementCode): readonly Condition[] {
  const { place, to } = alteration;
  const conditions = conditionsOf(code);
  const [first] = conditions;
  if (to !== undefined) {
    const [first] = comparisonsOf(code);
    if (first === undefined) throw new UserError(`${place}: no switch statement that goes by cases is there`);
    if (tableTargets(code).some((target) => isIn(code.pieces, target))) throw new UserError(`${place}: cases are in the same line; name the statement, as ${place.replace(/\.\d+$/, '')}.1`);
    return [{ steps: [first], kind: 'jump', exits: [] }];
  }
  if (isByCases(code)) throw new UserError(`${place}: a switch statement there leads to more than two places: use switch ${place} to CASE`);
  if (first === undefined) throw new UserError(`${place}: there is no condition in that line, in ${code.function.name}`);
  if (conditions.length > 1 && areCopies(conditions, code)) return conditions;
  if (conditions.length > 1) throw new UserError(`${place}: there are ${conditions.length} conditions; name one, as ${place.replace(/\.\d+$/, '')}.1, or *${conditions.slice(0, MOST_SHOWN).map(({ steps }) => hex((steps.at(-1) as CodeStep).address)).join(' or *')}`);
  if (first.kind === 'jump' && first.exits.length !== 2) throw new UserError(`${place}: the condition leads to ${first.exits.length} places: use switch ${place} to CASE`);
  return [first];
}

/** Control goes to the one way out where it would go to the other. */
function invert({ steps, kind, exits }: Condition, around: FunctionCode, patches: CodePatches): void {
  const byAddress = new Map(around.steps.map((step) => [step.address, step]));
  const other = (exit: number): number => (exit === exits[0] ? exits[1] : exits[0]) as number;
  for (const step of steps) {
    const [taken, fall] = kind === 'value' ? [0, 0] : edgesOf(step, byAddress);
    const [leavesTaken, leavesFall] = [exits.includes(taken), exits.includes(fall)];
    if (kind === 'value' || (leavesTaken && leavesFall)) patches.invert(step);
    else if (leavesTaken) patches.redirect(step, other(taken), step.address + step.length, around);
    else if (leavesFall) patches.redirect(step, step.target as number, other(fall), around);
  }
}

function suppressPlan(alteration: Alteration, code: StatementCode, program: ProgramView, rooms: SpareRooms): Plan {
  const patches = new CodePatches(readerOf(program), rooms.of(code.module));
  if (alteration.value !== undefined) return resultPlan(alteration, alteration.value, code, patches, program);
  const left: LeftOut = leftOut(code);
  for (const stretch of left.stretches) patches.leaveOut(stretch);
  for (const { step, bytes } of left.replaced) patches.replace(step, bytes, code.function);
  return { ...placed(alteration, code), patches: patches.patches, atInstance: left.isWhole ? { kind: 'skip', stretches: left.stretches } : { kind: 'patches' }, code };
}

/** The calls of a statement give a result without being made; the rest of it happens. */
function resultPlan(alteration: Alteration, value: string, code: StatementCode, patches: CodePatches, program: ProgramView): Plan {
  const calls = code.pieces.flatMap(({ steps }) => steps).filter(({ flow }) => flow === 'call' || flow === 'indirectCall');
  const [call] = calls;
  if (call === undefined) throw new UserError(`${alteration.place}: no function is called there, so nothing has the result ${value}`);
  if (calls.length > 1 && alteration.which !== 'all') throw new UserError(`${alteration.place}: ${calls.length} functions are called there; suppress one by its name`);
  const isFloat = resultKindOf(call.target, program) === 'float' || /[.e]/i.test(value.replace(/^-?0x.*/i, ''));
  const bits = resultBits(value, isFloat);
  for (const one of calls) patches.replace(one, setResult(bits, isFloat), code.function);
  return { ...placed(alteration, code), patches: patches.patches, atInstance: { kind: 'call', call, bits, isFloat }, code };
}

function functionPlans(alteration: Alteration, program: ProgramView, rooms: SpareRooms): Plan[] {
  const { place, value } = alteration;
  return functionsNamed(place, program).map(({ code, module, isFloat }) => {
    const patches = new CodePatches(readerOf(program), rooms.of(module));
    const bits = value === undefined ? undefined : resultBits(value, isFloat);
    patches.returnAtOnce(code, bits === undefined ? [] : setResult(bits, isFloat));
    const entry = guestAddr((code.stretches[0] as Stretch).start);
    return { alteration, addresses: [entry], entries: [entry], patches: patches.patches, atInstance: { kind: 'return', bits, isFloat }, code: undefined };
  });
}

function resultBits(value: string, isFloat: boolean): bigint {
  return isFloat && !/^-?0x/i.test(value) ? (new BigUint64Array(Float64Array.of(Number(value)).buffer)[0] as bigint) : bitsOf(value);
}

function placed(alteration: Alteration, { pieces }: StatementCode): Pick<Plan, 'alteration' | 'addresses' | 'entries'> {
  return { alteration, addresses: pieces.flatMap(({ steps }) => steps.map(({ address }) => guestAddr(address))), entries: pieces.map(({ start }) => guestAddr(start)) };
}
