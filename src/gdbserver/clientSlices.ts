/** Slices for clients: what a debugger is to slices, made of what a client looks at. */
import { UserError } from '../base/errors.js';
import { NamedInstances } from '../debugger/control/namedInstances.js';
import type { Stop } from '../debugger/control/stops.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { type DebugFiles, NO_FILES } from '../debugger/program/debugFiles.js';
import { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { SourceText } from '../debugger/program/sourceText.js';
import { at, comparePositions } from '../replay/log/position.js';
import { SliceCommands } from '../slices/sliceCommands.js';
import type { SliceSubject } from '../slices/subject.js';
import type { Client } from './client.js';

const known = new WeakMap<Client, SliceCommands>();

/** The answer to a command; what goes somewhere takes effect with the next motion. */
export async function sliceCommand(client: Client, name: string, args: readonly string[]): Promise<string> {
  if (name === 'sbreak') throw new UserError('gdb keeps its breakpoints itself: monitor sstep and monitor rsstep go from instance to instance ("culprit debug" has sbreak)');
  let commands = known.get(client);
  if (commands === undefined) known.set(client, (commands = new SliceCommands(subjectOf(client))));
  const { execution, position } = client.debuggee;
  try {
    const { lines, goTo } = await commands.run(name, args.join(' '), client.work);
    if (goTo === undefined) return lines.join('\n') || 'done';
    client.pending = at(goTo);
    return [...lines, `time ${goTo.toLocaleString('en')}: stepi goes there`].join('\n');
  } finally {
    if (comparePositions(execution.position, position) !== 0) await execution.seek(position);
  }
}

function subjectOf(client: Client): SliceSubject {
  const files: DebugFiles = client.served.files ?? NO_FILES;
  const modules = new Modules(files);
  const sources = new SourceText(files);
  const named = new NamedInstances(modules, sources);
  const backtrace = (): Backtrace | undefined => {
    const { state } = client.debuggee;
    const thread = state.threads.find(({ id }) => id === client.generalThread);
    return thread === undefined ? undefined : new Backtrace(new ProgramView(state, thread, modules), { tailCalls: true });
  };
  return {
    modules, sources, named,
    get execution() {
      return client.debuggee.execution;
    },
    get position() {
      return client.debuggee.position;
    },
    get thread() {
      return client.debuggee.state.threads.find(({ id }) => id === client.generalThread);
    },
    get backtrace() {
      return backtrace();
    },
    get frame() {
      return backtrace()?.innermost;
    },
    get instanceRun() {
      return named.runOf(client.debuggee.execution, client.debuggee.recording);
    },
    get lastStop(): Stop {
      const { arrival, debuggee: { process } } = client;
      const { thread } = arrival;
      if (arrival.kind === 'signal') return { kind: 'signal', thread, signal: arrival.signal };
      // The end that one jumps to is where the signal struck.
      const isAtEnd = process.end !== undefined && process.signal !== 0 && client.debuggee.branch === undefined && comparePositions(client.debuggee.position, process.end) === 0;
      return isAtEnd ? { kind: 'signal', thread, signal: process.signal } : { kind: 'moved', thread };
    },
  };
}
