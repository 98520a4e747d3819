/** What a program wrote to the streams that its user had given it, as a recording or a branch has it. */
import type { BranchOutput } from '../replay/branch/branchExecution.js';
import type { Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';

/** Before a position of the recording. */
export function recordedOutput({ log }: Execution, before: Position): BranchOutput[] {
  const output: BranchOutput[] = [];
  const cursor = log.cursor();
  let [last, done] = [-1, 0];
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    const { time, effects } = event;
    done = time === last ? done + 1 : 0;
    last = time;
    if (time > before.time || (time === before.time && done >= before.done)) break;
    for (const effect of effects) if (effect.op === 'output') output.push({ time, fd: effect.fd, bytes: effect.bytes });
  }
  return output;
}

export type RecordedEnd = { readonly kind: 'exited'; readonly code: number } | { readonly kind: 'signaled'; readonly signal: number };

const FIRST_PROCESS = 1;

/** How the program ended; undefined if the recording does not go so far. */
export function recordedEnd({ log }: Execution): RecordedEnd | undefined {
  const cursor = log.cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    for (const effect of event.effects) {
      if (effect.op === 'processEnd' && effect.process === FIRST_PROCESS) return effect.signal === 0 ? { kind: 'exited', code: effect.code } : { kind: 'signaled', signal: effect.signal };
    }
  }
  return undefined;
}
