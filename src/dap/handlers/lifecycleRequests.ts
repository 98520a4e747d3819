/**
 * How a session begins and ends: the client introduces itself, a program is recorded or a recording opened, and all is
 * let go.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../../base/errors.js';
import type { Adapter } from '../adapter.js';
import type { Arguments } from '../arguments.js';
import { CAPABILITIES } from '../capabilities.js';
import { DapClient } from '../client.js';
import type { Handler, Handlers, RequestContext } from '../handler.js';
import type { RecordedProgram, RecordRequest, RunningRecorder, TerminalCommand } from '../host.js';
import { begin } from './motionRequests.js';

const initialize: Handler = (adapter, args): DebugProtocol.Capabilities => {
  if (args.has('pathFormat') && args.string('pathFormat') !== 'path') throw new UserError('only paths are understood, no URIs ("pathFormat": "path")');
  adapter.client = new DapClient(args);
  return CAPABILITIES;
};

/** Runs and records the program, then opens the recording. */
const launch: Handler = async (adapter, args, request) => {
  checkIdle(adapter);
  settle(adapter, args);
  const recorded = await record(adapter, args, request);
  await open(adapter, recorded.path, request);
};

const attach: Handler = async (adapter, args, request) => {
  checkIdle(adapter);
  settle(adapter, args);
  await open(adapter, args.string('recording'), request);
};

function checkIdle(adapter: Adapter): void {
  if (adapter.isOpen || adapter.recorder !== undefined) throw new UserError('a program is being debugged already');
}

function settle(adapter: Adapter, args: Arguments): void {
  const stopOnEntry = args.boolean('stopOnEntry');
  adapter.beginning = { openAt: args.oneOf('openAt', ['start', 'end']) ?? (stopOnEntry ? 'start' : 'end'), stopOnEntry };
  adapter.sources.setMap(args.dictionary('sourceMap'));
}

async function record(adapter: Adapter, args: Arguments, request: RequestContext): Promise<RecordedProgram> {
  const program = args.string('program');
  const wanted = { program, args: args.strings('args'), cwd: args.optionalString('cwd'), environment: args.dictionary('env'), stdin: args.optionalString('stdin'), recording: args.optionalString('recording') };
  return request.doing(`Recording ${program}`, async (work) => {
    const recorder = startRecorder(adapter, wanted, args.oneOf('console', ['internalConsole', 'integratedTerminal', 'externalTerminal']) ?? 'internalConsole');
    adapter.recorder = recorder;
    adapter.send<DebugProtocol.ProcessEvent>('process', { name: program, startMethod: 'launch', isLocalProcess: true });
    try {
      const recorded = await watching(adapter, recorder.finished, () => {
        work.report('until the program ends');
        if (work.isCancelled()) recorder.stop();
      });
      if (recorded.failure !== undefined) throw new UserError(recorded.failure);
      return recorded;
    } finally {
      adapter.recorder = undefined;
    }
  });
}

function startRecorder(adapter: Adapter, wanted: RecordRequest, where: 'internalConsole' | 'integratedTerminal' | 'externalTerminal'): RunningRecorder {
  const { host, client } = adapter;
  if (where !== 'internalConsole' && client.opensTerminals) {
    return host.recordInTerminal(wanted, (command) => openTerminal(adapter, where === 'externalTerminal' ? 'external' : 'integrated', command));
  }
  if (where !== 'internalConsole') adapter.say('This client opens no terminals: the program has nothing to read.');
  return host.record(wanted, (category, output) => adapter.send<DebugProtocol.OutputEvent>('output', { category, output }));
}

async function openTerminal(adapter: Adapter, kind: 'integrated' | 'external', { words, cwd }: TerminalCommand): Promise<void> {
  const wanted: DebugProtocol.RunInTerminalRequestArguments = { kind, title: 'Culprit', cwd, args: [...words] };
  const { success, message } = await adapter.ask('runInTerminal', wanted);
  if (!success) throw new UserError(`the program needs a terminal, and there is none: ${message ?? 'no reason was given'}`);
}

/** Looks now and then until it is done. */
async function watching<T>(adapter: Adapter, done: Promise<T>, look: () => void): Promise<T> {
  let isDone = false;
  const over = (): void => void (isDone = true);
  done.then(over, over);
  for (;;) {
    await Promise.race([done, adapter.host.pause()]);
    if (isDone) return done;
    look();
  }
}

async function open(adapter: Adapter, path: string, request: RequestContext): Promise<void> {
  const program = await request.doing('Opening the recording', (work) => adapter.host.open(path, work));
  adapter.open(program);
  // Only now can breakpoints be resolved: the client sends them when it hears this.
  request.afterwards(() => adapter.send<DebugProtocol.InitializedEvent>('initialized', undefined));
}

const configurationDone: Handler = (adapter, _args, request) => {
  const { debug } = adapter;
  if (adapter.hasBegun) return;
  adapter.hasBegun = true;
  request.afterwards(() => adapter.motion.start({ title: 'Going to where it begins', request: request.seq, move: (work) => begin(adapter, debug, work) }));
};

/** What runs is ended; a recording needs no ending. */
const terminate: Handler = (adapter, _args, request) => {
  letGo(adapter);
  request.afterwards(() => adapter.send<DebugProtocol.TerminatedEvent>('terminated', undefined));
};

const disconnect: Handler = (adapter, args) => {
  adapter.isProgramLeft = !args.boolean('terminateDebuggee', true);
  if (!adapter.isProgramLeft) letGo(adapter);
};

function letGo(adapter: Adapter): void {
  adapter.works.cancelAll();
  adapter.recorder?.stop();
}

export const lifecycleRequests: Handlers = { initialize, launch, attach, configurationDone, terminate, disconnect };
