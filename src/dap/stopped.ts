/** Where and why the program stopped, in the protocol's words and in ours. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type CaughtEvent, type HowItEnded, reasonsOf, type Stop } from '../debugger/control/stops.js';
import { signalMessage, signalName } from '../base/signalNames.js';
import type { Adapter } from './adapter.js';

type StoppedBody = DebugProtocol.StoppedEvent['body'];

interface StoppedReport {
  readonly body: StoppedBody;
  /** For the debug console. */
  readonly remarks: readonly string[];
}

export function stoppedBody(stop: Stop, adapter: Adapter): StoppedReport {
  const { remarks = [], ...body } = together(reasonsOf(stop).map((reason) => describe(reason, adapter)));
  const isSomebody = adapter.threads.some(({ id }) => id === stop.thread);
  return { body: { ...body, ...(isSomebody ? { threadId: stop.thread } : {}), allThreadsStopped: true, preserveFocusHint: false }, remarks };
}

type Description = Pick<StoppedBody, 'reason' | 'description' | 'text' | 'hitBreakpointIds'> & { readonly remarks?: readonly string[] };

/** The first says why; what the others have to say is added, and all breakpoints that were hit are named. */
function together(reasons: readonly Description[]): Description {
  const [first, ...others] = reasons;
  if (first === undefined || others.length === 0) return first ?? { reason: 'pause' };
  const texts = reasons.flatMap(({ text }) => text ?? []);
  const ids = [...new Set(reasons.flatMap(({ hitBreakpointIds }) => hitBreakpointIds ?? []))];
  return { ...first, ...(texts.length === 0 ? {} : { text: texts.join('\n') }), hitBreakpointIds: ids, remarks: reasons.flatMap(({ remarks = [] }) => remarks) };
}

function describe(stop: Stop, adapter: Adapter): Description {
  switch (stop.kind) {
    case 'breakpoint': return { reason: adapter.breakpoints.reasonFor(stop.numbers), hitBreakpointIds: adapter.breakpoints.idsOf(stop.numbers) };
    case 'watchpoint': {
      const text = stop.old === undefined ? `${stop.expression} = ${stop.new}` : `${stop.expression}: ${stop.old} → ${stop.new}`;
      return { reason: 'data breakpoint', description: `Paused on ${stop.access === 'read' ? 'a read' : 'a change'} of ${stop.expression}`, text, hitBreakpointIds: adapter.breakpoints.idsOf([stop.number]), remarks: [text] };
    }
    case 'scope': return { reason: 'data breakpoint', description: `${stop.expression} is no more`, text: `The function that ${stop.expression} belongs to has ended.`, hitBreakpointIds: adapter.breakpoints.idsOf([stop.number]) };
    case 'catchpoint': return { ...caught(stop.event), hitBreakpointIds: adapter.breakpoints.idsOf([stop.number]) };
    case 'signal': return signalled(stop.signal);
    case 'step': return { reason: 'step' };
    case 'finished': return { reason: 'step', ...(stop.value === undefined ? {} : { remarks: [`${stop.function ?? 'the function'} returned (${stop.value.type}) ${stop.value.text}`] }) };
    case 'moved': return { reason: 'goto', description: `Time ${adapter.program.debug.position.time}` };
    case 'start': return { reason: 'entry', description: `Start of the ${lookedAt(adapter)}` };
    case 'end': return ended(stop.ending, lookedAt(adapter));
    case 'cancelled': return { reason: 'pause', description: 'Interrupted' };
  }
}

function signalled(signal: number): Description {
  return { reason: 'exception', description: `Paused on ${signalName(signal)}`, text: `${signalName(signal)}: ${signalMessage(signal)}` };
}

function caught(event: CaughtEvent): Description {
  switch (event.kind) {
    case 'signal': return signalled(event.signal);
    case 'throw': return { reason: 'exception', description: 'Paused on a C++ exception', text: 'An exception is thrown.' };
    case 'rethrow': return { reason: 'exception', description: 'Paused on a C++ exception', text: 'An exception is thrown again.' };
    case 'catch': return { reason: 'exception', description: 'Paused on a C++ exception', text: 'An exception is caught.' };
    case 'syscall': return { reason: 'event', description: `System call ${event.number} (${event.phase})` };
    case 'fork': case 'vfork': case 'clone': return { reason: 'event', description: `${event.kind} of ${event.pid}` };
    case 'exec': return { reason: 'event', description: `exec of ${event.program}` };
  }
}

function lookedAt({ program: { debug } }: Adapter): 'recording' | 'branch' {
  return debug.branch === undefined ? 'recording' : 'branch';
}

function ended({ how, code, remark }: HowItEnded, what: 'recording' | 'branch'): Description {
  const description = `End of the ${what}`;
  const remarks = (why: string): string[] => [`This is the end of the ${what}${why}. Go back from here.`];
  switch (how) {
    case 'signaled': return { ...signalled(code), remarks: remarks(`: the program was killed by ${signalName(code)} (${signalMessage(code)})`) };
    case 'exited': return { reason: 'pause', description, remarks: remarks(`: the program exited with code ${code}`) };
    case 'unknown': return { reason: 'pause', description, remarks: remarks(remark === undefined ? '' : `: ${remark}`) };
  }
}
