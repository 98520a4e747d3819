/** How executions end, as stops say it: a recording by its summary, a what-if branch by what became of it. */
import { signalName } from '../../base/signalNames.js';
import type { BranchEnd } from '../../replay/branch/branchExecution.js';
import type { RecordingSummary } from '../../replay/recordingFile/recordingHeader.js';
import type { HowItEnded } from './stops.js';

export function recordingEnding(summary: RecordingSummary | undefined): HowItEnded {
  const ending = summary?.ending;
  switch (ending?.how) {
    case 'exited': return { how: 'exited', code: ending.code };
    case 'signaled': return { how: 'signaled', code: ending.signal };
    case 'timeout': return unknown('the run was ended by --timeout');
    case 'deadlock': return unknown('all threads wait for each other');
    case undefined: return unknown();
  }
}

/** `end` is undefined where the branch has not been run to its end. */
export function branchEnding(end: BranchEnd | undefined): HowItEnded {
  switch (end?.kind) {
    case 'ended': return end.status.kind === 'exited' ? { how: 'exited', code: end.status.code } : { how: 'signaled', code: end.status.signal };
    case 'deadlock': return unknown(`all threads wait for each other: ${end.tasks.join('; ')}`);
    case 'cutOff': return unknown('the recording was cut off here, and the branch had nothing else to go by');
    case 'unsupported': return unknown(`the recording does not know enough to go on: ${end.why}`);
    case undefined: return unknown();
  }
}

/** `exited with code 7`; undefined if nothing is known. */
export function endingText({ how, code, remark }: HowItEnded): string | undefined {
  switch (how) {
    case 'exited': return `exited with code ${code}`;
    case 'signaled': return `killed by ${signalName(code)}`;
    case 'unknown': return remark;
  }
}

function unknown(remark?: string): HowItEnded {
  return { how: 'unknown', code: 0, ...(remark === undefined ? {} : { remark }) };
}
