/**
 * The value of what a slice is asked for, as a text that can be compared: in the recording, and in a run in which
 * something was altered. It is looked at where the same instance is in the other run; if there is none, it has no
 * value.
 */
import { UserError } from '../base/errors.js';
import { guestAddr, time } from '../base/types.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { findInstance, type Instance, type InstanceRun } from '../debugger/control/instances.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { ProgramView } from '../debugger/program/programView.js';
import type { Statement } from '../debugger/program/statements.js';
import { parseStatement } from '../debugger/program/statementText.js';
import { contextOf } from '../flow/ownCode.js';
import { RBP } from '../layout/cpuState.js';
import { at } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import { hasCrashed, linePredicate, placesOf, type SliceQuestion, sliceQuestion, usedPlaces, type WantedPlace } from '../slices/criteria.js';
import { standingInstance } from '../slices/standingInstance.js';

export interface WatchedCriterion {
  readonly question: SliceQuestion;
  /** Undefined where it has none. The execution is moved. */
  value(run: InstanceRun, work?: Work): Promise<string | undefined>;
}

/** Instructions of a statement whose values are compared. */
const MOST_STEPS = 256;
/** The first cell after the general registers. */
const REGISTERS_END = 128;

/** What is asked for as slices are: a statement, things there or where the debugger stands, or the crash. */
export async function watchedCriterion(debug: Debugger, statement: string | undefined, things: readonly string[], isOwnFrame: boolean, work?: Work): Promise<WatchedCriterion> {
  if (statement !== undefined) {
    const { found, number } = await instanceNamed(debug, statement, work);
    const question = await sliceQuestion(debug, statement, things, work);
    return { question, value: async (run, own) => atInstance(debug, run, found, number, things, own) };
  }
  const question = async (): Promise<SliceQuestion> => sliceQuestion(debug, undefined, things, work, isOwnFrame ? 'own' : 'selected');
  if (things.length === 0 && hasCrashed(debug)) return { question: await question(), value: async ({ execution, end }, own) => crashValue(execution, end?.time, own) };
  if (debug.lastStop.kind === 'end') return { question: await question(), value: async (run, own) => endValue(debug, run, things, own) };
  const { statement: here, number } = await standingInstance(debug, work);
  return { question: await question(), value: async (run, own) => atInstance(debug, run, here, number, things, own) };
}

async function instanceNamed(debug: Debugger, text: string, work: Work | undefined): Promise<{ readonly found: Statement; readonly number: number }> {
  const parsed = parseStatement(text);
  if (parsed === undefined) throw new UserError(`${text} is no statement: write FILE:LINE, FILE:LINE#N or FILE:LINE.K#N`);
  const found = await debug.named.statement(parsed, debug.instanceRun, { currentPath: debug.frame?.path, work });
  const { number } = await findInstance(debug.instanceRun, found, parsed.instance ?? -1, debug.position, work);
  return { found, number };
}

async function atInstance(debug: Debugger, run: InstanceRun, statement: Statement, number: number, things: readonly string[], work: Work | undefined): Promise<string | undefined> {
  const instance = await instanceIn(run, statement, number, work);
  if (instance === undefined) return undefined;
  const { execution } = run;
  const { thread, start, end } = instance;
  await execution.seek(start, work);
  if (things.length === 0) return usedText(debug, execution, instance, work);
  const view = viewOf(debug, execution.state, thread);
  const places = view === undefined ? undefined : unlessWrong(() => placesOf(things, view, new Backtrace(view).frames(1)[0]));
  if (places === undefined) return undefined;
  await execution.seek(end, work);
  return placesText(execution.state, thread, places);
}

async function instanceIn(run: InstanceRun, statement: Statement, number: number, work: Work | undefined): Promise<Instance | undefined> {
  try {
    return await findInstance(run, statement, number, undefined, work);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** All that the instructions of a statement use: they are those of the line, not of what it calls. */
async function usedText(debug: Debugger, execution: Execution, { statement, thread, start, end }: Instance, work: Work | undefined): Promise<string> {
  const isOf = await linePredicate(debug, statement, thread, debug.position);
  const texts: string[] = [];
  for (let now = start.time as number; now < Math.max(end.time, start.time + 1) && texts.length < MOST_STEPS; now++) {
    await execution.seek(at(now), work);
    const { state } = execution;
    const pc = Number(state.register(thread, 'rip') ?? 0n);
    if (state.current?.id === thread && isOf(pc)) texts.push(`${pc}:${placesText(state, thread, usedPlaces(state, thread) ?? [])}`);
    else if (now - start.time > MOST_STEPS) break;
  }
  return texts.join(' ');
}

/** That it crashes, where, and of what. */
async function crashValue(execution: Execution, limit: number | undefined, work: Work | undefined): Promise<string | undefined> {
  if (!(await goToEnd(execution, limit, work))) return undefined;
  const { state } = execution;
  const thread = state.current?.id;
  if (thread === undefined) return undefined;
  return `${state.register(thread, 'rip')}: ${placesText(state, thread, usedPlaces(state, thread) ?? [])}`;
}

async function endValue(debug: Debugger, { execution, end }: InstanceRun, things: readonly string[], work: Work | undefined): Promise<string | undefined> {
  if (!(await goToEnd(execution, end?.time, work))) return undefined;
  const thread = execution.state.current?.id;
  const view = thread === undefined ? undefined : viewOf(debug, execution.state, thread);
  if (thread === undefined || view === undefined) return undefined;
  const places = unlessWrong(() => placesOf(things, view, contextOf(view).frame));
  return places === undefined ? undefined : placesText(execution.state, thread, places);
}

/** False if it does not come to its end before the limit. */
async function goToEnd(execution: Execution, limit: number | undefined, work: Work | undefined): Promise<boolean> {
  if (limit !== undefined && (await execution.forward([{ kind: 'time', time: time(limit) }], work)) !== undefined) return false;
  await execution.seekEnd(work);
  return true;
}

function viewOf(debug: Debugger, state: State, id: number): ProgramView | undefined {
  const thread = state.threads.find((one) => one.id === id);
  return thread === undefined ? undefined : new ProgramView(state, thread, debug.modules);
}

/** Frames may lie elsewhere: where they do is no value. */
function placesText(state: State, thread: number, places: readonly WantedPlace[]): string {
  const words = state.cpuWords(thread);
  const cells = words === undefined ? new Uint8Array() : new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return places.map((place) => {
    if (place.kind === 'memory') return [...(state.read(thread, guestAddr(place.address), place.bytes) ?? [])].join(',');
    const isFrame = place.first >= RBP.offset && place.first < RBP.offset + 8;
    return isFrame || place.first >= REGISTERS_END && place.first < REGISTERS_END + 16 ? '' : [...cells.subarray(place.first, place.first + place.bytes)].join(',');
  }).join(';');
}

function unlessWrong<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
