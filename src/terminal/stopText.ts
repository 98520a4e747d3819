/** What is said when the program stops: gdb's words, so that people and scripts are at home. */
import { type CaughtEvent, type HowItEnded, reasonsOf, type Stop } from '../debugger/control/stops.js';
import { type FrameId, isSameFrame, type VisibleFrame } from '../debugger/program/visibleFrame.js';
import { gdbSignalName as signalName, gdbSignalWords as signalMessage } from './signalWords.js';
import { SYSCALL_NAMES } from '../base/syscallNames.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { wildJump } from '../slices/wildJump.js';
import { frameText, wideHex } from './frameText.js';
import type { Session } from './session.js';
import { stopSource } from './stopSource.js';
import { isThreaded, threadNumber, threadTitle } from './threadText.js';

/** Where a step began: a step that ends in the same function, whatever was inlined in it, shows only the line. */
export interface StepStart {
  readonly frame: FrameId | undefined;
  readonly functionStart: bigint | undefined;
}

/** Whatever frame is selected, the program stands in the innermost. */
export function stepStart({ debugger: { backtrace } }: Session): StepStart {
  const frame = backtrace?.innermost;
  return { frame: frame?.id, functionStart: frame?.functionStart };
}

/** Says why and where it stands now. */
export function showStop(stop: Stop, session: Session, start?: StepStart): void {
  if (stop.kind === 'cancelled') {
    session.say('Quit');
    return;
  }
  announceThread(stop, session);
  session.write(reasonsOf(stop).map((one) => reason(one, session)).join(''));
  showPlace(stop, session, start);
  if (stop.kind === 'finished' && stop.value !== undefined) session.say(`Value returned is ${session.language.remember(stop.value.text)}`);
}

function announceThread(stop: Stop, session: Session): void {
  if (stop.thread === session.shownThread) return;
  session.shownThread = stop.thread;
  const thread = session.debugger.thread;
  if (thread !== undefined && stop.kind !== 'end' && stop.kind !== 'start') session.say(`[Switching to ${threadTitle(thread, session)}]`);
}

/** Where there is no code gdb has nothing to say: control came from somewhere. Empty elsewhere. */
export async function wildJumpText(session: Session): Promise<string> {
  const found = await wildJump(session.debugger, (view) => {
    const frame = new Backtrace(view).innermost;
    return frame === undefined ? '??' : `${frameText(frame, session)}\n${stopSource(frame, session)}`.trimEnd();
  });
  if (found === undefined) return '';
  return `The program counter went from ${wideHex(found.from)} to ${wideHex(found.to)}, where there is no code, in\n${found.there}\n`;
}

/** Up to where the frame's line follows. */
function reason(stop: Stop, session: Session): string {
  switch (stop.kind) {
    case 'breakpoint': {
      const number = Math.min(...stop.numbers);
      const temporary = session.debugger.breakpoints.find(number) === undefined;
      return `\n${hitter(stop, session)}${temporary ? 'Temporary breakpoint' : 'Breakpoint'} ${number}${placeNumber(number, session)}, `;
    }
    case 'watchpoint': return `\n${hitter(stop, session)}${watchReason(stop)}`;
    case 'scope':
      return `\n${hitter(stop, session)}Watchpoint ${stop.number} deleted because the program has left the block in\nwhich its expression is valid.\n`;
    case 'catchpoint': return `\n${hitter(stop, session)}Catchpoint ${stop.number} (${caught(stop.event)}), `;
    case 'signal': return `\n${who(stop, session)} received signal ${signalName(stop.signal)}, ${signalMessage(stop.signal)}.\n`;
    case 'start': return '\nNo more reverse-execution history.\n';
    case 'end': return endText(stop.ending, session);
    case 'step': case 'finished': case 'moved': case 'cancelled': return '';
  }
}

/** `.2`: which place of a breakpoint that has several. */
function placeNumber(number: number, { debugger: { breakpoints, frame }, breakpointsBefore }: Session): string {
  const point = breakpoints.find(number) ?? breakpointsBefore.find((before) => before.number === number);
  if (point?.kind !== 'breakpoint' || point.places.length < 2) return '';
  const index = point.places.findIndex(({ location }) => location.address === frame?.pc);
  return index < 0 ? '' : `.${index + 1}`;
}

function watchReason(stop: Extract<Stop, { kind: 'watchpoint' }>): string {
  const what = { write: 'Hardware watchpoint', read: 'Hardware read watchpoint', access: 'Hardware access (read/write) watchpoint' }[stop.access];
  const values = stop.old === undefined ? `Value = ${stop.new}\n` : `Old value = ${stop.old}\nNew value = ${stop.new}\n`;
  return `${what} ${stop.number}: ${stop.expression}\n\n${values}`;
}

function caught(event: CaughtEvent): string {
  switch (event.kind) {
    case 'syscall': return `${event.phase === 'call' ? 'call to' : 'returned from'} syscall ${SYSCALL_NAMES[event.number] ?? event.number}`;
    case 'signal': return `signal ${signalName(event.signal)}`;
    case 'fork': case 'vfork': case 'clone': return `${event.kind}ed process ${event.pid}`;
    case 'exec': return `exec'd ${event.program}`;
    case 'throw': return 'exception thrown';
    case 'catch': return 'exception caught';
    case 'rethrow': return 'exception rethrown';
  }
}

/** `Thread 2 "name" hit `, where there is more than one thread. */
function hitter(stop: Stop, session: Session): string {
  return isThreaded(session) ? `${who(stop, session)} hit ` : '';
}

function who(stop: Stop, session: Session): string {
  const thread = session.debugger.threads.find(({ id }) => id === stop.thread);
  return isThreaded(session) && thread !== undefined ? `Thread ${threadNumber(thread, session)} "${thread.name}"` : 'Program';
}

function endText({ how, code, remark }: HowItEnded, session: Session): string {
  const pid = session.debugger.threads[0]?.pid ?? 0;
  const inferior = `Inferior 1 (process ${pid})`;
  switch (how) {
    case 'exited': return `[${inferior} exited ${code === 0 ? 'normally' : `with code 0${code.toString(8)}`}]\n`;
    case 'signaled': return `\nProgram terminated with signal ${signalName(code)}, ${signalMessage(code)}.\n`;
    case 'unknown': return `\nNo more execution history.\n${remark === undefined ? '' : `${sentence(remark)}\n`}`;
  }
}

function sentence(remark: string): string {
  return `${remark.charAt(0).toUpperCase()}${remark.slice(1)}.`;
}

function isWithinFunction(frame: VisibleFrame, start: StepStart | undefined, steppedIn = start?.frame): boolean {
  return start !== undefined && steppedIn !== undefined && isSameFrame(frame.id, steppedIn) && frame.functionStart === start.functionStart;
}

function showPlace(stop: Stop, session: Session, start: StepStart | undefined): void {
  const { frame } = session.debugger;
  // As gdb, where nothing is left after the end: what there is can be asked for.
  if (frame === undefined || (stop.kind === 'end' && stop.ending.how !== 'unknown' && !session.surface.isTerminal)) return;
  const isStep = stop.kind === 'step' && isWithinFunction(frame, start, stop.frame);
  const source = stopSource(frame, session, isStep);
  if (!isStep || source === '') session.say(frameText(frame, session));
  session.write(source);
}
