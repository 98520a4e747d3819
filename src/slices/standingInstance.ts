/** The instance of a line that the selected frame stands in. */
import { UserError } from '../base/errors.js';
import { countInstances, findInstance, type Instance } from '../debugger/control/instances.js';
import type { Statement } from '../debugger/program/statements.js';
import { isSameFrame } from '../debugger/program/visibleFrame.js';
import type { Work } from '../replay/timeline/work.js';
import type { SliceSubject } from './subject.js';

export async function standingInstance(subject: SliceSubject, work?: Work): Promise<{ readonly statement: Statement; readonly number: number }> {
  const { thread, frame, backtrace, named, instanceRun, position } = subject;
  if (thread === undefined || frame === undefined) throw new UserError('there is no thread here');
  const { innermost } = backtrace ?? {};
  const isCaller = innermost !== undefined && !isSameFrame(frame.stackId, innermost.stackId);
  const caller = isCaller ? (backtrace?.frames(frame.level) ?? []).filter((one) => one.pc === frame.pc && !isSameFrame(one.stackId, frame.stackId)).length : undefined;
  const [statement] = named.statementHere(instanceRun, thread.id, isCaller ? frame.pc - 1n : frame.pc) ?? [];
  if (statement === undefined) throw new UserError('there is no debug information for this place: go to a line of your own ("up", "finish"), or say FILE:LINE#N');
  const { standing } = await countInstances(instanceRun, statement, { position, thread: thread.id, pc: frame.pc, caller }, work);
  if (standing === undefined) throw new UserError('this line has not been reached here: say FILE:LINE#N');
  return { statement, number: standing };
}

/** With its times. */
export async function standingStretch(subject: SliceSubject, work?: Work): Promise<Instance> {
  const { statement, number } = await standingInstance(subject, work);
  return findInstance(subject.instanceRun, statement, number, subject.position, work);
}
