/** The instance of a line that the selected frame stands in. */
import { UserError } from '../base/errors.js';
import { countInstances, findInstance, type Instance, type Standing } from '../debugger/control/instances.js';
import type { Statement } from '../debugger/program/statements.js';
import { isSameFrame, type VisibleFrame } from '../debugger/program/visibleFrame.js';
import { isOwn } from '../flow/ownCode.js';
import type { Work } from '../replay/timeline/work.js';
import type { SliceSubject } from './subject.js';
import { wildJump } from './wildJump.js';

/** Frames of libraries between a line and where it stands. */
const MOST_CALLERS = 64;

export async function standingInstance(subject: SliceSubject, work?: Work): Promise<{ readonly statement: Statement; readonly number: number }> {
  const { thread, backtrace, position } = subject;
  const frame = ownFrame(subject);
  if (thread === undefined || frame === undefined) throw new UserError('there is no thread here');
  const jump = frame.level === 0 ? await wildJump(subject, () => undefined, work) : undefined;
  if (jump !== undefined) return numbered(subject, { position: jump.position, thread: thread.id, pc: jump.from, caller: undefined }, jump.from, work);
  const { innermost } = backtrace ?? {};
  const isCaller = innermost !== undefined && !isSameFrame(frame.stackId, innermost.stackId);
  const caller = isCaller ? (backtrace?.frames(frame.level) ?? []).filter((one) => one.pc === frame.pc && !isSameFrame(one.stackId, frame.stackId)).length : undefined;
  return numbered(subject, { position, thread: thread.id, pc: frame.pc, caller }, isCaller ? frame.pc - 1n : frame.pc, work);
}

/** What libraries do is told as what the line that called them did: the selected frame, or the first of its callers. */
function ownFrame({ frame, backtrace }: SliceSubject): VisibleFrame | undefined {
  if (frame === undefined || backtrace === undefined || isOwn(backtrace.program, frame)) return frame;
  return backtrace.frames(MOST_CALLERS).find((one) => one.level > frame.level && isOwn(backtrace.program, one)) ?? frame;
}

async function numbered({ named, instanceRun }: SliceSubject, standing: Standing, pc: bigint, work: Work | undefined): Promise<{ readonly statement: Statement; readonly number: number }> {
  const [statement] = named.statementHere(instanceRun, standing.thread, pc) ?? [];
  if (statement === undefined) throw new UserError('there is no debug information for this place: go to a line of your own ("up", "finish"), or say FILE:LINE#N');
  const found = await countInstances(instanceRun, statement, standing, work);
  if (found.standing === undefined) throw new UserError('this line has not been reached here: say FILE:LINE#N');
  return { statement, number: found.standing };
}

/** With its times. */
export async function standingStretch(subject: SliceSubject, work?: Work): Promise<Instance> {
  const { statement, number } = await standingInstance(subject, work);
  return findInstance(subject.instanceRun, statement, number, subject.position, work);
}
