/** Threads and processes. */
import { UserError } from '../../base/errors.js';
import type { Thread } from '../../replay/timeline/state.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';
import { inferiorNumber, threadNumber, threadTitle } from '../threadText.js';
import { showFrame } from './stackCommands.js';

const THREAD: Command = {
  name: 'thread', aliases: ['t'], group: 'running', usage: 'thread [NUMBER] | thread apply all|NUMBER… COMMAND | thread find REGEX', completes: ['apply', 'find', 'name'],
  summary: 'Select a thread, or do something in several.',
  examples: [['thread 2', 'look at thread 2'], ['thread apply all bt', 'the stacks of all threads']],
  async run(args, session) {
    const apply = /^apply\s+(.*)$/s.exec(args);
    if (apply !== null) return applyTo(apply[1] as string, session);
    const find = /^find\s+(.*)$/.exec(args);
    if (find !== null) return findThreads(find[1] as string, session);
    const { thread } = session.debugger;
    if (args === '') {
      if (thread === undefined) throw new UserError('No thread selected');
      return session.say(`[Current thread is ${threadNumber(thread, session)} (${threadTitle(thread, session)})]`);
    }
    select(threadNumbered(args, session), session);
  },
};

function select(thread: Thread, session: Session): void {
  session.debugger.selectThread(thread.id);
  session.shownThread = thread.id;
  session.say(`[Switching to thread ${threadNumber(thread, session)} (${threadTitle(thread, session)})]`);
  showFrame(session);
}

function threadNumbered(text: string, session: Session): Thread {
  const wanted = /^[\d.]+$/.test(text) ? text : String(session.language.number(text));
  const found = session.debugger.threads.find((thread) => threadNumber(thread, session) === wanted || String(thread.id) === wanted);
  if (found === undefined) throw new UserError(/^[\d.]+$/.test(wanted) ? `Unknown thread ${wanted}.` : `Invalid thread ID: ${text}`);
  return found;
}

async function applyTo(args: string, session: Session): Promise<void> {
  const [, which = '', command = ''] = /^(all|[\d.\s-]+)\s+(?:-\S+\s+)*(.*)$/s.exec(args) ?? [];
  if (command === '') throw new UserError('Please specify a command at the end of \'thread apply\'');
  const { threads, thread: before } = session.debugger;
  const chosen = which === 'all' ? [...threads].reverse() : which.trim().split(/\s+/).flatMap((word) => rangeOf(word, session));
  for (const thread of chosen) {
    session.debugger.selectThread(thread.id);
    session.say(`\nThread ${threadNumber(thread, session)} (${threadTitle(thread, session)} "${thread.name}"):`);
    await session.execute(command);
  }
  if (before !== undefined && session.debugger.threads.some(({ id }) => id === before.id)) session.debugger.selectThread(before.id);
}

function rangeOf(word: string, session: Session): Thread[] {
  const range = /^(\d+)-(\d+)$/.exec(word);
  if (range === null) return [threadNumbered(word, session)];
  return session.debugger.threads.filter(({ id }) => id >= Number(range[1]) && id <= Number(range[2]));
}

function findThreads(pattern: string, session: Session): void {
  const found = session.debugger.threads.filter(({ name }) => new RegExp(pattern).test(name));
  for (const thread of found) session.say(`Thread ${threadNumber(thread, session)} has name '${thread.name}'`);
  if (found.length === 0) session.say(`No threads match '${pattern}'`);
}

const INFERIOR: Command = {
  name: 'inferior', group: 'running', usage: 'inferior [NUMBER]', completes: 'nothing', summary: 'Select a process of the recording.',
  run(args, session) {
    const { threads, thread } = session.debugger;
    if (args === '') {
      if (thread === undefined) throw new UserError('No thread selected');
      return session.say(`[Current inferior is ${inferiorNumber(thread.pid, session)} [process ${thread.pid}] (${session.program.modules.main?.path ?? '<noexec>'})]`);
    }
    const wanted = threads.find(({ pid }) => inferiorNumber(pid, session) === Number(args));
    if (wanted === undefined) throw new UserError(`Inferior ID ${args} not known.`);
    session.say(`[Switching to inferior ${args} [process ${wanted.pid}] (${session.debugger.program(wanted.id)?.modules.main?.path ?? '<noexec>'})]`);
    select(wanted, session);
  },
};

export const THREADS: readonly Command[] = [THREAD, INFERIOR];
