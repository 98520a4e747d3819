/** The stack: backtraces, and which frame is looked at. */
import { UserError } from '../../base/errors.js';
import type { Backtrace } from '../../debugger/program/backtrace.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import type { Command } from '../command.js';
import { frameText } from '../frameText.js';
import type { Session } from '../session.js';
import { stopSource } from '../stopSource.js';

const BACKTRACE: Command = {
  name: 'backtrace', aliases: ['bt', 'where'], group: 'stack', usage: 'backtrace [full] [N | -N]', completes: ['full'],
  summary: 'Show the calls that led here.',
  details: 'With N the innermost N of them, with -N the outermost. "full" shows local variables, too.',
  examples: [['bt', 'all calls'], ['bt 3', 'the innermost three'], ['bt full', 'with local variables']],
  run(args, session) {
    const words = args.split(/\s+/).filter((word) => word !== '');
    const isFull = words.some((word) => /^(full|-full)$/.test(word));
    const count = words.find((word) => /^-?\d+$/.test(word));
    const other = words.find((word) => !/^(full|-full|-?\d+)$/.test(word));
    const most = count === undefined ? (other === undefined ? undefined : Number(session.language.number(other))) : Number(count);
    showBacktrace(session, { isFull, count: most });
  },
};

interface BacktraceRequest {
  readonly isFull?: boolean;
  readonly count?: number | undefined;
}

export function showBacktrace(session: Session, { isFull = false, count }: BacktraceRequest = {}): void {
  const thread = session.debugger.thread;
  const pastMain = session.settings.isOn('backtrace past-main');
  const trace = thread === undefined ? undefined : pastMain ? session.debugger.backtraceOf(thread.id, true) : session.debugger.backtrace;
  if (trace?.innermost === undefined) throw new UserError('No stack.');
  const limit = session.settings.count('backtrace limit');
  const { frames, more } = chosenFrames(trace, count, limit);
  for (const frame of frames) {
    session.say(frameText(frame, session, { level: true }));
    if (isFull) showLocals(frame, session);
  }
  if (more) session.say('(More stack frames follow...)');
  else if (trace.stopped !== undefined) session.say(`Backtrace stopped: ${trace.stopped}`);
}

function chosenFrames(trace: Backtrace, count: number | undefined, limit: number): { readonly frames: readonly VisibleFrame[]; readonly more: boolean } {
  if (count !== undefined && count < 0) return { frames: trace.frames(limit).slice(count), more: false };
  const most = Math.min(count ?? Infinity, limit);
  return { frames: trace.frames(most), more: count !== undefined && trace.frame(most) !== undefined };
}

function showLocals(frame: VisibleFrame, session: Session): void {
  if (frame.kind === 'signal') return session.say('No locals.');
  if (frame.scope === undefined) return session.say('No symbol table info available.');
  const lines = session.language.locals(frame);
  if (lines.length === 0) session.say('No locals.');
  for (const line of lines) session.say(`        ${line.replace(/\n/g, '\n        ')}`);
}

/** The frame's line and its source, as when it was selected. */
export function showFrame(session: Session): void {
  const { frame } = session;
  session.say(frameText(frame, session, { level: true }));
  session.write(stopSource(frame, session));
}

const FRAME: Command = {
  name: 'frame', aliases: ['f'], group: 'stack', usage: 'frame [LEVEL | function NAME | apply all COMMAND]', completes: ['function', 'level', 'apply'],
  summary: 'Select and show a frame.',
  examples: [['frame', 'the selected one again'], ['frame 2', 'two calls up from the innermost'], ['frame function main', 'that of main']],
  async run(args, session) {
    const apply = /^apply\s+(all|-?\d+|level\s+\d+)\s+(?:-[qcs]+\s+)*(.+)$/.exec(args);
    if (apply !== null) return applyToFrames(apply[1] as string, apply[2] as string, session);
    const named = /^function\s+(.+)$/.exec(args);
    const text = args.replace(/^level\s+/, '');
    if (named !== null) selectNamed(named[1] as string, session);
    else if (text !== '') session.debugger.selectFrame(Number(/^\d+$/.test(text) ? text : session.language.number(text)));
    showFrame(session);
  },
};

function selectNamed(name: string, session: Session): void {
  const found = session.debugger.backtrace?.frames(10_000).find(({ functionName }) => functionName === name);
  if (found === undefined) throw new UserError(`No frame for function "${name}".`);
  session.debugger.selectFrame(found.level);
}

async function applyToFrames(which: string, command: string, session: Session): Promise<void> {
  const before = session.frame.level;
  const frames = session.debugger.backtrace?.frames(10_000) ?? [];
  const count = Number(which.replace(/^level\s+/, ''));
  const chosen = which === 'all' ? frames : which.startsWith('level') ? frames.slice(count, count + 1) : count < 0 ? frames.slice(count) : frames.slice(0, count);
  for (const { level } of chosen) {
    session.say(frameText(session.debugger.selectFrame(level), session, { level: true }));
    await session.execute(command);
  }
  session.debugger.selectFrame(before);
}

function walk(name: 'up' | 'down', sign: 1 | -1, summary: string, isSilent = false): Command {
  return {
    name: isSilent ? `${name}-silently` : name, aliases: name === 'down' && !isSilent ? ['dow'] : [], group: 'stack', usage: `${name} [N]`, completes: 'nothing', summary,
    run(args, session) {
      const { level } = session.frame;
      const count = args === '' ? 1 : Number(session.language.number(args));
      const levels = session.debugger.backtrace?.frames(level + Math.max(0, sign * count) + 1).length ?? 1;
      const wanted = Math.min(Math.max(level + sign * count, 0), levels - 1);
      if (wanted === level && args === '') throw new UserError(sign > 0 ? 'Initial frame selected; you cannot go up.' : 'Bottom (innermost) frame selected; you cannot go down.');
      session.debugger.selectFrame(wanted);
      if (!isSilent) showFrame(session);
    },
  };
}

export const STACK: readonly Command[] = [
  BACKTRACE, FRAME,
  walk('up', 1, 'Select the frame that called the selected one.'), walk('down', -1, 'Select the frame that was called by the selected one.'),
  walk('up', 1, 'The same without showing it.', true), walk('down', -1, 'The same without showing it.', true),
];
