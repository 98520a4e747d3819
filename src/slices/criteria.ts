/**
 * What a slice is asked for: places at a time, all that an instance of a statement uses, or what made the program
 * crash.
 */
import { UserError } from '../base/errors.js';
import { signalName } from '../base/signalNames.js';
import { guestAddr, hex } from '../base/types.js';
import { findInstance } from '../debugger/control/instances.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { ProgramView } from '../debugger/program/programView.js';
import { parseStatement } from '../debugger/program/statementText.js';
import { type Statement, statementName } from '../debugger/program/statements.js';
import { Expressions } from '../debugger/values/expressions.js';
import { ProgramSurroundings } from '../debugger/values/programSurroundings.js';
import { registerName } from '../debugger/values/registers.js';
import type { Value } from '../debugger/values/value.js';
import { contextOf } from '../flow/ownCode.js';
import { registerPlace } from '../flow/copies/place.js';
import { asNumbers } from '../flow/copies/valueSources.js';
import { codeAt, Instructions } from '../flow/instructions.js';
import { instructionDependences } from '../ir/dependences/instructionDependences.js';
import { isCell } from '../ir/dependences/refs.js';
import { Evaluation } from '../ir/meaning/evaluation.js';
import { effectsIn } from '../ir/meaning/instructionEffects.js';
import { FPU_STATUS, RSP } from '../layout/cpuState.js';
import { at, type Position } from '../replay/log/position.js';
import type { MemoryRange } from '../replay/timeline/conditions.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import type { Criterion } from './slicer.js';
import type { SliceSubject } from './subject.js';
import { linearOf } from './wants/memoryWants.js';
import { whereabouts } from './whereabouts.js';
import { wildJump } from './wildJump.js';
import { NODES } from './wants/wanters.js';

/** The node that stands for what is asked for, where it is no instruction. */
export const CRITERION = NODES - 1;

/** Of a variable or a region that is asked for. */
const MOST_BYTES = 1 << 24;

/** Where a value is. */
export type WantedPlace =
  | { readonly kind: 'cells'; readonly first: number; readonly bytes: number }
  | { readonly kind: 'memory'; readonly address: number; readonly bytes: number };

export interface SliceQuestion extends Criterion {
  /** In words. */
  readonly title: string;
}

/** Places of a thread, as they are at a position. */
function placesCriterion(title: string, to: Position, thread: number, places: readonly WantedPlace[]): SliceQuestion {
  return {
    title, to,
    begin(walk, spaceOf) {
      const own = walk.wanters.of(CRITERION);
      for (const place of places) {
        if (place.kind === 'memory') walk.memoryOf(spaceOf(thread)).add(linearOf(place.address), place.bytes, own);
        else for (let i = 0; i < place.bytes; i++) walk.wantsOf(thread).add(place.first + i, own);
      }
    },
  };
}

/** All that some instances use: those of a thread between two times for whose addresses `isOf` holds. */
export function instancesCriterion(title: string, thread: number, { from, to }: { readonly from: number; readonly to: number }, isOf: (address: number) => boolean): SliceQuestion {
  const isSeed = (time: number, { address }: { readonly address: number }, of: number): boolean => of === thread && time >= from && time < to && isOf(address);
  return { title, to: at(to), seeds: { from, to, isSeed }, begin: () => undefined };
}

/**
 * `statement`: FILE:LINE[.K][#N], or undefined: where the debugger stands; the crash, if `things` are none either.
 * `frames`: which frame things are meant in, if not in the one that is selected.
 */
export async function sliceQuestion(debug: SliceSubject, statement: string | undefined, things: readonly string[], work?: Work, frames: 'selected' | 'own' = 'selected'): Promise<SliceQuestion> {
  if (statement !== undefined) return statementQuestion(debug, statement, things, work);
  if (things.length === 0) return crashQuestion(debug, work);
  const { thread, backtrace, position } = debug;
  if (thread === undefined || backtrace === undefined) throw new UserError('there is no thread here');
  // Functions of libraries have variables, too: without a frame of the user's own, global ones are meant.
  const frame = frames === 'own' ? contextOf(backtrace.program).frame : debug.frame;
  const places = placesOf(things, backtrace.program, frame);
  return placesCriterion(`${things.join(', ')} at time ${position.time.toLocaleString('en')}`, position, thread.id, places);
}

async function statementQuestion(debug: SliceSubject, text: string, things: readonly string[], work: Work | undefined): Promise<SliceQuestion> {
  const parsed = parseStatement(text);
  if (parsed === undefined) throw new UserError(`${text} is no statement: write FILE:LINE, FILE:LINE#N or FILE:LINE.K#N`);
  const run = debug.instanceRun;
  const currentPath = debug.frame?.path;
  const found = await debug.named.statement(parsed, run, { currentPath, work });
  const instance = await findInstance(run, found, parsed.instance ?? -1, debug.position, work);
  const { start, end, thread } = instance;
  const title = `${statementName(found)}#${instance.number}`;
  if (things.length === 0) return instancesCriterion(title, thread, { from: start.time, to: Math.max(end.time, start.time + 1) }, await linePredicate(debug, found, thread, start));
  const places = await elsewhere(debug, start, () => {
    const view = new ProgramView(debug.execution.state, debug.execution.state.threads.find(({ id }) => id === thread) ?? { id: thread, tid: 0, pid: 0, name: '' }, debug.modules);
    return placesOf(things, view, new Backtrace(view).frames(1)[0]);
  });
  return placesCriterion(`${things.join(', ')} at ${title}`, end, thread, places);
}

/** Which instructions belong to a statement. */
export async function linePredicate(debug: SliceSubject, statement: Statement, thread: number, start: Position): Promise<(address: number) => boolean> {
  const { statements } = debug.named;
  const modules = await elsewhere(debug, start, () => debug.modules.of(debug.execution.state, thread));
  return (address) => {
    const module = modules.at(BigInt(address));
    const own = module === undefined ? undefined : statements.at(module, address);
    return own !== undefined && own.path === statement.path && own.line === statement.line && (statement.part === undefined || own.part === statement.part);
  };
}

async function elsewhere<T>(debug: SliceSubject, position: Position, look: () => T): Promise<T> {
  const { execution } = debug;
  const here = execution.position;
  await execution.seek(position);
  try {
    return look();
  } finally {
    await execution.seek(here);
  }
}

/** The instruction that could not be executed, or the one that went where there is none. */
export async function crashQuestion(debug: SliceSubject, work?: Work): Promise<SliceQuestion> {
  const { execution, thread, position, backtrace } = debug;
  const signal = signalOf(debug);
  if (thread === undefined || backtrace === undefined || signal === undefined) throw new UserError('nothing crashes here: say which statement (FILE:LINE or FILE:LINE#N), or what (an expression)');
  const { state } = execution;
  const time = `time ${position.time.toLocaleString('en')}`;
  const used = usedPlaces(state, thread.id);
  if (used === undefined || !FAULT_SIGNALS.has(signal)) {
    const rip = Number(state.register(thread.id, 'rip'));
    const title = FAULT_SIGNALS.has(signal) ? await wildJumpTitle(debug, rip, work) : `what sent ${signalName(signal)}${placeTitle(backtrace.program)}`;
    return instancesCriterion(`${title}, ${time}`, thread.id, { from: position.time - 1, to: position.time }, () => true);
  }
  const next = { thread: thread.id, address: Number(state.register(thread.id, 'rip')), node: CRITERION };
  return { ...placesCriterion(`the crash${placeTitle(backtrace.program)}, ${time}`, position, thread.id, used), next };
}

/** What the next instruction of a thread uses, but for the stack pointer; undefined where there is no code. */
export function usedPlaces(state: State, thread: number): WantedPlace[] | undefined {
  const rip = guestAddr(Number(state.register(thread, 'rip')));
  const code = state.permissions(thread, rip)?.execute === true ? codeAt(state, thread, rip) : new Uint8Array();
  const block = new Instructions().at(rip, code);
  if (block === null) return undefined;
  const words = state.cpuWords(thread) as Uint32Array;
  const { inputs, accesses, decision } = instructionDependences(block, topOf(words));
  const refs = [...inputs, decision, ...accesses.flatMap(({ address, stored }) => [address, ...stored])].flat();
  const cells = [...new Set(refs)].filter((ref) => isCell(ref) && (ref < RSP.offset || ref >= RSP.offset + 8));
  const evaluation = new Evaluation(block, asNumbers({ words, memory: (address, size) => state.read(thread, address, size) }));
  const reads = effectsIn(evaluation).memoryReads ?? [];
  return [
    ...cells.map((first) => ({ kind: 'cells' as const, first, bytes: 1 })),
    ...reads.map(({ address, bytes }) => ({ kind: 'memory' as const, address, bytes })),
  ];
}

/** Where a thread stands, in the user's own code and beyond. */
function placeTitle(view: ProgramView): string {
  const { frame, called } = whereabouts(view);
  if (frame === undefined) return called === undefined ? '' : ` in ${called}`;
  const line = frame.path === undefined ? '' : ` at ${statementName({ path: frame.path, line: frame.line, part: undefined })}`;
  const place = `${line} in ${frame.functionName ?? hex(Number(frame.pc))}`;
  return called === undefined ? place : ` in ${called}, called${place}`;
}

async function wildJumpTitle(debug: SliceSubject, to: number, work: Work | undefined): Promise<string> {
  const found = await wildJump(debug, placeTitle, work);
  return `the jump${found === undefined ? '' : `${found.there} from ${hex(Number(found.from))}`} to ${hex(to)}, where there is no code`;
}

/** Of what an instruction could not do: SIGILL, SIGBUS, SIGFPE, SIGSEGV. Others are sent by a system call. */
const FAULT_SIGNALS: ReadonlySet<number> = new Set([4, 7, 8, 11]);

/** Whether it stands where a signal is about to end the program. */
export function hasCrashed(debug: SliceSubject): boolean {
  return signalOf(debug) !== undefined;
}

/** The signal that is about to take effect; undefined if none is. */
function signalOf({ lastStop }: SliceSubject): number | undefined {
  if (lastStop.kind === 'signal') return lastStop.signal;
  return lastStop.kind === 'end' && lastStop.ending.how === 'signaled' ? lastStop.ending.code : undefined;
}

const FPU_STATUS_WORD = FPU_STATUS.offset / 4;

function topOf(words: Uint32Array): number {
  return ((words[FPU_STATUS_WORD] ?? 0) >> 11) & 7;
}

// ---- what users call places

/** Expressions, registers, and addresses with a size behind them. */
export function placesOf(things: readonly string[], view: ProgramView, frame: Backtrace['innermost'] | undefined): WantedPlace[] {
  const places: WantedPlace[] = [];
  for (let i = 0; i < things.length; i++) {
    const [thing, next] = [things[i] as string, things[i + 1]];
    if (/^0x[0-9a-f]+$/i.test(thing) && next !== undefined && /^\d+$/.test(next)) {
      places.push(readable(view, BigInt(thing), Number(next)));
      i++;
    } else places.push(...placesOfExpression(thing, view, frame));
  }
  return places;
}

/** What is nowhere depends on nothing, which would be a wrong answer. */
function readable(view: ProgramView, address: bigint, bytes: number): WantedPlace {
  if (bytes < 1 || bytes > MOST_BYTES) throw new UserError(`a slice is of 1 to ${MOST_BYTES.toLocaleString('en')} bytes, not of ${bytes.toLocaleString('en')}`);
  if (view.memory(address, 1) === undefined || view.memory(address + BigInt(bytes - 1), 1) === undefined) throw new UserError(`there is no memory at 0x${address.toString(16)} here`);
  return { kind: 'memory', address: Number(address), bytes };
}

function placesOfExpression(expression: string, view: ProgramView, frame: Backtrace['innermost'] | undefined): WantedPlace[] {
  const read: MemoryRange[] = [];
  const expressions = new Expressions(new ProgramSurroundings(view, frame));
  view.onRead = (range) => void read.push(range);
  let value: Value;
  try {
    value = expressions.evaluate(expression);
    if (value.address !== undefined) return [readable(view, value.address, value.size)];
    const register = registerOf(value);
    if (register !== undefined) return [register];
    expressions.text(value);
  } finally {
    view.onRead = undefined;
  }
  if (value.isOptimisedOut) throw new UserError(`${expression} is optimised out here`);
  if (read.length === 0) throw new UserError(`${expression} has no value in memory or registers: ask for a variable, a member, *ADDRESS or a register`);
  return read.map(({ start, end }) => ({ kind: 'memory', address: start, bytes: end - start }));
}

function registerOf({ place, size }: Value): WantedPlace | undefined {
  const name = place.kind === 'register' ? place.name : place.kind === 'located' && place.location.kind === 'register' ? registerName(place.location.register) : undefined;
  const found = name === undefined ? undefined : registerPlace(name);
  if (found?.kind !== 'register') return undefined;
  const offset = place.kind === 'register' || place.kind === 'located' ? place.offset : 0;
  return { kind: 'cells', first: found.offset + offset, bytes: Math.min(size, found.size - offset) };
}
