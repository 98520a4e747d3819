/** What would have happened if a condition had gone the other way, or a statement had not been there. */
import { UserError } from '../../base/errors.js';
import { ProgramView } from '../../debugger/program/programView.js';
import { comparePositions } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import { type Alteration, parseAlteration } from '../../whatIf/alteration.js';
import { activeOf, alterationLines, type Alterations, loadedAlterations, savedAlterations, switched, withAlteration, withoutAlteration } from '../../whatIf/alterations.js';
import { applyAlterations, forksOf, numbered, type WhatIf } from '../../whatIf/apply.js';
import { compareRuns } from '../../whatIf/compareRuns.js';
import { comparisonLines } from '../../whatIf/comparisonText.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';
import { arrive } from './runningCommands.js';
import { whenText } from './timeCommands.js';

const WHICH = 'Which instances: "all" of them (as if nothing is said), "once" for the next one after here, N or #N for the N-th of the whole run.';

const SWITCH: Command = {
  name: 'switch', group: 'time', usage: 'switch FILE:LINE[.K][#N] [all|once|N] [to CASE]', completes: 'location', repeat: 'never',
  summary: 'Let a condition go the other way, in a branch; or a switch statement go to another case.',
  details: `${WHICH} The recording stays as it is: "branch drop" returns to it.`,
  examples: [['switch tally.c:18#5', 'its fifth evaluation goes the other way'], ['switch tally.c:18.2', 'the second condition of the line'], ['switch menu.c:40 to 3', 'every time to case 3'], ['switch menu.c:40#1 to default', '']],
  run: (args, session) => alter('switch', args, session),
};

const SUPPRESS: Command = {
  name: 'suppress', group: 'time', usage: 'suppress FILE:LINE[.K][#N] | FUNCTION[#N] [all|once|N] [= VALUE]', completes: 'location', repeat: 'never',
  summary: 'Leave a statement or a function out, in a branch.',
  details: `${WHICH} With a value the calls of the statement, or the function, give it as their result without being made, and the rest happens.`,
  examples: [['suppress tally.c:19#5', 'its fifth instance does not happen'], ['suppress free', 'nothing is freed'], ['suppress malloc#3 = 0', 'the third call fails'], ['suppress notes.c:30 = -1', 'what is called in that line fails']],
  run: (args, session) => alter('suppress', args, session),
};

const ALTERATION: Command = {
  name: 'alteration', group: 'time', usage: 'alteration on|off|delete ID', completes: ['on', 'off', 'delete'], repeat: 'never', summary: 'Switch an alteration on or off, or delete it; "info alterations" lists them.',
  async run(args, session) {
    const [, how, digits] = /^(on|off|delete)\s+(\d+)$/.exec(args) ?? [];
    if (how === undefined) throw new UserError('Usage: alteration on|off|delete ID');
    const list = how === 'delete' ? withoutAlteration(session.alterations, Number(digits)) : switched(session.alterations, Number(digits), how === 'on');
    await apply(list, session);
  },
};

const ALTERATIONS: Command = {
  name: 'alterations', group: 'time', usage: 'alterations save|load FILE', completes: 'file', repeat: 'never', summary: 'Save the list of alterations to a file, or go on with a list that was saved.',
  async run(args, session) {
    const [, how, path] = /^(save|load)\s+(\S.*)$/.exec(args) ?? [];
    if (how === undefined || path === undefined) throw new UserError('Usage: alterations save|load FILE');
    const { surface } = session;
    if (how === 'save') {
      if (surface.writeText === undefined) throw new UserError('Files cannot be written from here.');
      surface.writeText(path, savedAlterations(session.alterations));
      return session.say(`Saved to ${path}.`);
    }
    const text = surface.readText(path);
    if (text === undefined) throw new UserError(`${path}: cannot be read`);
    const list = loadedAlterations(text, path);
    await apply(list, session);
    for (const line of alterationLines(list)) session.say(line);
  },
};

const COMPARE: Command = {
  name: 'compare', group: 'time', usage: 'compare', completes: 'nothing', repeat: 'never', summary: 'Say what differs between the recording and this branch, both run to their ends.',
  async run(args, session) {
    if (args !== '') throw new UserError('"compare" has no arguments: it compares the recording with the branch.');
    const { debugger: debug } = session;
    const { branch, recording } = debug;
    if (branch === undefined) throw new UserError('This is the recording: there is no branch to compare it with. "switch" or "suppress" makes one.');
    const [here, home] = [branch.position, recording.position];
    const source = { modules: debug.modules, statements: session.statements };
    const compared = await session.working('compare', async (work) => {
      try {
        return await compareRuns({ execution: recording }, { execution: branch, before: recording }, source, debug.evaluator, work);
      } finally {
        await recording.seek(home);
        await debug.goTo(here);
      }
    });
    for (const line of comparisonLines(compared, ['the recording', 'the branch'])) session.say(line);
  },
};

export const ALTERING: readonly Command[] = [SWITCH, SUPPRESS, ALTERATION, ALTERATIONS, COMPARE];

export const INFO_ALTERATIONS: Command = {
  name: 'alterations', group: 'time', usage: 'info alterations', completes: 'nothing', summary: 'What is altered, with its numbers.',
  run(_args, session) {
    const lines = alterationLines(session.alterations);
    session.say(lines.length === 0 ? 'No alterations.' : `Num     What\n${lines.join('\n')}`);
  },
};

async function alter(what: Alteration['what'], args: string, session: Session): Promise<void> {
  if (args === '') throw new UserError('Argument required (a place, as FILE:LINE).');
  const written = parseAlteration(what, args);
  const { position } = session.debugger;
  const made = await session.working(what, (work) => numbered(whatIfOf(session), written, position, work));
  await apply(withAlteration(session.alterations, made), session, made);
}

/** Makes a branch of the list, and leaves the list as it was if that cannot be done. */
async function apply(list: Alterations, session: Session, added?: Alteration): Promise<void> {
  const { debugger: debug } = session;
  const wanted = debug.hasOwnChanges && added !== undefined ? [added] : activeOf(list);
  if (wanted.length === 0) {
    session.alterations = list;
    if (debug.branch === undefined || debug.hasOwnChanges) return;
    debug.dropBranch();
    return session.say(`Nothing is altered: back in the recording, at ${whenText(session)}.`);
  }
  const here = debug.position;
  const stop = await session.going('altering', async (work: Work) => {
    const branch = await applyAlterations(whatIfOf(session, added === undefined), wanted, { notAfter: here, work });
    const first = comparePositions(branch.position, here) < 0 ? branch.position : here;
    debug.enterBranch(branch);
    return debug.goTo(first, work);
  });
  session.alterations = list;
  await arrive(stop, session);
}

/** What is altered: the recording, or a branch that was changed otherwise. */
function whatIfOf(session: Session, isAnew = false): WhatIf {
  const { debugger: debug } = session;
  const { recording, branch, modules, branchMaker } = debug;
  if (branchMaker === undefined) throw new UserError('this recording cannot be changed: there are no branches here');
  const own = debug.hasOwnChanges && !isAnew ? branch : undefined;
  const execution = own ?? recording;
  const thread = execution.state.threads.find(({ id }) => id === debug.thread?.id) ?? execution.state.current ?? execution.state.threads[0];
  if (thread === undefined) throw new UserError('The program is not being run.');
  const program = new ProgramView(execution.state, thread, modules);
  const currentPath = debug.frame?.path;
  return { maker: own === undefined ? branchMaker : forksOf(own), recording: execution, before: own === undefined ? undefined : recording, program, modules, statements: session.statements, currentPath };
}
