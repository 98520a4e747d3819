/** Checkpoints: places to come back to at once, in the recording and in branches of it. */
import { UserError } from '../../base/errors.js';
import type { UserCheckpoint } from '../../debugger/control/userCheckpoints.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';
import { answer } from './alterationCommands.js';
import { arrive } from './runningCommands.js';
import { countText } from './timeCommands.js';

const CHECKPOINT: Command = {
  name: 'checkpoint', group: 'time', usage: 'checkpoint [NAME]', completes: 'nothing', repeat: 'never',
  summary: 'Keep this place, to come back to it at once with "rollback".',
  details: 'In a branch, the branch is kept as it is now, though it is changed or left later. (The shell command "culprit checkpoint" is another thing: it makes commands quick everywhere in a recording.)',
  examples: [['checkpoint', 'by number'], ['checkpoint before-loop', 'by a name'], ['rollback before-loop', 'back there']],
  run(args, session) {
    const checkpoint = session.debugger.checkpoint(args);
    session.say(`Checkpoint ${titleOf(checkpoint)}: ${placeOf(checkpoint)}.`);
  },
};

const ROLLBACK: Command = {
  name: 'rollback', aliases: ['restart'], group: 'time', usage: 'rollback ID | NAME', completes: 'nothing', repeat: 'never', summary: 'Go back to a checkpoint, and to the branch that it was made in.',
  details: 'Alterations that are on are made again from there on ("info alterations").',
  async run(args, session) {
    session.debugger.checkpoints.get(args);
    const { list } = session.alterations;
    const stop = await session.going('rollback', (work) => session.debugger.rollback(args, work));
    const outcome = stop.kind === 'cancelled' ? { lines: [] } : await session.working('rollback', (work) => session.alterations.rolledBack(list, work));
    await (outcome.entering === undefined ? arrive(stop, session) : answer({ ...outcome, lines: [] }, session));
    for (const line of outcome.lines) session.say(line);
  },
};

const CDELETE: Command = {
  name: 'cdelete', group: 'time', usage: 'cdelete ID… | NAME…', completes: 'nothing', repeat: 'never', summary: 'Delete checkpoints.',
  run(args, session) {
    const { checkpoints } = session.debugger;
    if (args === '') throw new UserError('Argument required (a checkpoint: see "info checkpoints").');
    const found = args.split(/\s+/).map((which) => checkpoints.get(which));
    for (const checkpoint of found) checkpoints.delete(checkpoint);
  },
};

export function showCheckpoints(session: Session): void {
  const { checkpoints: { all }, position, branch } = session.debugger;
  if (all.length === 0) session.say('No checkpoints.');
  for (const checkpoint of all) {
    const isHere = checkpoint.branch === branch && checkpoint.position.time === position.time;
    session.say(`${isHere ? '*' : ' '} ${titleOf(checkpoint)}: ${placeOf(checkpoint)}`);
  }
}

function titleOf({ id, name }: UserCheckpoint): string {
  return name === undefined ? String(id) : `${id} (${name})`;
}

function placeOf({ position: { time }, branch, place }: UserCheckpoint): string {
  return `time ${countText(time)}${branch === undefined ? '' : `, in a branch from time ${countText(branch.start.time)}`}, ${place}`;
}

export const CHECKPOINTS: readonly Command[] = [CHECKPOINT, ROLLBACK, CDELETE];
