/** Runs by what people call them, so that any two can be compared. */
import { UserError } from '../base/errors.js';
import type { Branching } from '../debugger/control/branching.js';
import type { UserCheckpoints } from '../debugger/control/userCheckpoints.js';
import type { Work } from '../replay/timeline/work.js';
import type { Alterations } from './alterations.js';
import { applyAlterations, type WhatIf } from './apply.js';
import type { Run } from './parting.js';

export interface ComparedRun {
  readonly run: Run;
  /** Such as `the recording`. */
  readonly name: string;
  /** It is not needed any more. */
  release(): void;
}

interface KnownRuns {
  readonly branching: Branching;
  readonly checkpoints: UserCheckpoints;
  readonly list: Alterations;
  readonly whatIf: WhatIf;
}

/** `recording`, `branch`, `@CHECKPOINT`, or numbers of alterations: the recording with these. */
export async function comparedRun(word: string, { branching, checkpoints, list, whatIf }: KnownRuns, work?: Work): Promise<ComparedRun> {
  const { recording, branch } = branching;
  const release = (): void => undefined;
  if (word === 'recording') return { run: { execution: recording }, name: 'the recording', release };
  if (word === 'branch') {
    if (branch === undefined) throw new UserError('This is the recording: there is no branch.');
    return { run: { execution: branch, before: recording }, name: 'the branch', release };
  }
  if (word.startsWith('@')) {
    const { branch: kept } = checkpoints.get(word.slice(1));
    return { run: kept === undefined ? { execution: recording } : { execution: kept, before: recording }, name: `checkpoint ${word.slice(1)}`, release };
  }
  if (!/^\d+(,\d+)*$/.test(word)) throw new UserError(`${word} is no run: write recording, branch, @CHECKPOINT, or numbers of alterations, as 1,3`);
  const wanted = word.split(',').map((digits) => {
    const found = list.all.find(({ id }) => id === Number(digits));
    if (found === undefined) throw new UserError(`there is no alteration ${digits}`);
    return found.alteration;
  });
  const made = await applyAlterations(whatIf, wanted, { work });
  return { run: { execution: made, before: recording }, name: `the run with ${wanted.length === 1 ? 'alteration' : 'alterations'} ${word}`, release: () => made.drop() };
}
