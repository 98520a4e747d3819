/** What a debugger is to slices and alterations, made of what a client looks at. */
import { NamedInstances } from '../debugger/control/namedInstances.js';
import type { Stop } from '../debugger/control/stops.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { type DebugFiles, NO_FILES } from '../debugger/program/debugFiles.js';
import { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { SourceText } from '../debugger/program/sourceText.js';
import { ValueEvaluator } from '../debugger/values/valueEvaluator.js';
import { comparePositions } from '../replay/log/position.js';
import type { SliceSubject } from '../slices/subject.js';
import type { AlterationSubject } from '../whatIf/alterationCommands.js';
import type { Client } from './client.js';

export function subjectOf(client: Client): SliceSubject & AlterationSubject {
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
    modules, sources, named, evaluator: new ValueEvaluator(), checkpoints: client.checkpoints,
    get branching() {
      return client.debuggee.branching;
    },
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
