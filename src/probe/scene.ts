/**
 * Where a failure is in a recording, and what a slice of it is asked for: the instruction that crashed, the exit with
 * its status, the bytes that were written, the values of an expression. The debugger stands there afterwards.
 */
import { UserError } from '../base/errors.js';
import { signalName } from '../base/signalNames.js';
import { guestAddr } from '../base/types.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { at, type Position } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import { CRITERION, crashQuestion, instancesCriterion, type SliceQuestion, sliceQuestion } from '../slices/criteria.js';
import { linearOf } from '../slices/wants/memoryWants.js';
import type { WhatIf } from '../whatIf/apply.js';
import { type RecordedEnd, recordedOutput } from '../whatIf/recordedOutput.js';
import { joined } from '../whatIf/trial.js';
import { type Failure, failureText, placeIn } from './failure.js';
import { firstHeld } from './holding.js';

export interface Scene {
  readonly position: Position;
  readonly thread: number;
  /** Candidates are in any of their slices. */
  readonly questions: readonly SliceQuestion[];
}

const SYS = { write: 1, pwrite64: 18, writev: 20 } as const;
const WRITING: readonly number[] = Object.values(SYS);
const LONGEST_LIST = 1024;

/** Throws a UserError if the recording does not fail so. */
export async function sceneOf(debug: Debugger, whatIf: WhatIf, failure: Failure, ending: RecordedEnd | undefined, work?: Work): Promise<Scene> {
  switch (failure.kind) {
    case 'signal':
    case 'exit':
      return endScene(debug, failure, ending, work);
    case 'output':
      return outputScene(debug, failure.text, work);
    case 'holds': {
      const { position, thread } = await firstHeld(whatIf, debug.evaluator, failure, work);
      await debug.goTo(position, work);
      debug.selectThread(thread);
      const values = await sliceQuestion(debug, undefined, [failure.expression], work);
      // That control came there at all is a part of it.
      return { position, thread, questions: [values, instant(failureText(failure), thread, position.time)] };
    }
  }
}

async function endScene(debug: Debugger, failure: Failure, ending: RecordedEnd | undefined, work: Work | undefined): Promise<Scene> {
  const asked = failure.kind === 'signal' ? ending?.kind === 'signaled' && ending.signal === failure.signal : failure.kind === 'exit' && ending?.kind === 'exited' && (failure.status === undefined || ending.code === failure.status);
  if (!asked) throw new UserError(`the recording does not end with ${failureText(failure)}: ${endText(ending)}`);
  await debug.goToEnd(work);
  const { position, thread } = debug;
  if (thread === undefined) throw new UserError('no thread is there at the end of the recording');
  // An instruction that crashes has not been executed: what let control come there is that of the one before it.
  const last = instant(failureText(failure), thread.id, position.time - 1);
  return { position, thread: thread.id, questions: failure.kind === 'signal' ? [await crashQuestion(debug, work), last] : [last] };
}

/** One instance, with all that it uses. */
function instant(title: string, thread: number, time: number): SliceQuestion {
  return instancesCriterion(title, thread, { from: time, to: time + 1 }, () => true);
}

function endText(ending: RecordedEnd | undefined): string {
  if (ending === undefined) return 'how it ended was not recorded';
  return ending.kind === 'exited' ? `it exited with status ${ending.code}` : `it was killed by ${signalName(ending.signal)}`;
}

/** The system call that wrote the last byte of the text, and where the bytes of it lay that this call wrote. */
async function outputScene(debug: Debugger, text: string, work: Work | undefined): Promise<Scene> {
  const { recording } = debug;
  const all = recordedOutput(recording, at(recording.endTime));
  for (const isStderr of [false, true]) {
    const written = all.filter(({ fd }) => (fd === 2) === isStderr);
    const from = placeIn(joined(written.map(({ bytes }) => bytes)), text);
    if (from < 0) continue;
    const end = from + new TextEncoder().encode(text).length;
    let offset = 0;
    for (const { time, bytes } of written) {
      const before = offset;
      offset += bytes.length;
      if (offset >= end) return writeScene(debug, text, time, { from: Math.max(0, from - before), to: end - before }, work);
    }
  }
  throw new UserError(`the program did not write ${JSON.stringify(text)}`);
}

/** `time`: when the call had its effect. `bytes`: which of those that it wrote. */
async function writeScene(debug: Debugger, text: string, time: number, bytes: { readonly from: number; readonly to: number }, work: Work | undefined): Promise<Scene> {
  const { execution } = debug;
  await execution.seek(at(time), work);
  const hit = await execution.backward([{ kind: 'syscall', numbers: WRITING }], work);
  if (hit === undefined) throw new UserError(`who wrote ${JSON.stringify(text)} cannot be told`);
  const { position, task: thread } = hit;
  await debug.goTo(position, work);
  debug.selectThread(thread);
  const call = instant(failureText({ kind: 'output', text }), thread, position.time);
  const places = writtenPlaces(debug, thread, bytes);
  const question: SliceQuestion = {
    ...call,
    begin(walk, spaceOf) {
      const own = walk.wanters.of(CRITERION);
      for (const { address, length } of places) walk.memoryOf(spaceOf(thread)).add(linearOf(address), length, own);
    },
  };
  return { position, thread, questions: [question] };
}

function writtenPlaces({ state }: Debugger, thread: number, { from, to }: { readonly from: number; readonly to: number }): { readonly address: number; readonly length: number }[] {
  const register = (name: string): number => Number(state.register(thread, name) ?? 0n);
  if (register('rax') !== SYS.writev) return [{ address: register('rsi') + from, length: to - from }];
  const list = state.read(thread, guestAddr(register('rsi')), Math.min(register('rdx'), LONGEST_LIST) * 16);
  if (list === null) return [];
  const view = new DataView(list.buffer, list.byteOffset, list.length);
  const places: { address: number; length: number }[] = [];
  let offset = 0;
  for (let i = 0; i + 16 <= list.length; i += 16) {
    const [address, length] = [Number(view.getBigUint64(i, true)), Number(view.getBigUint64(i + 8, true))];
    const [first, last] = [Math.max(from, offset), Math.min(to, offset + length)];
    if (first < last) places.push({ address: address + first - offset, length: last - first });
    offset += length;
  }
  return places;
}
