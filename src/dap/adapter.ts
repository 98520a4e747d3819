/**
 * What the requests of one session share: the client, the program that is debugged, what the client holds references
 * to.
 */
import { visibleLines } from '../base/visible.js';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { Stop } from '../debugger/control/stops.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { SIGNAL_COUNT } from '../base/signalNumbers.js';
import { ValueHistory } from '../debugger/values/history.js';
import type { Position } from '../replay/log/position.js';
import { Cancelled } from '../replay/timeline/work.js';
import { Arguments } from './arguments.js';
import { ClientBreakpoints } from './breakpoints.js';
import { type AskClient, DapClient, type SendEvent } from './client.js';
import { CommandConsole } from './commandConsole.js';
import { DataBreakpoints } from './dataBreakpoints.js';
import type { DapHost, DebuggedProgram, RunningRecorder } from './host.js';
import { KnownPrograms } from './knownPrograms.js';
import { LogPoints } from '../debugger/control/logPoints.js';
import { WorkList } from './longWork.js';
import { Motion } from './motion.js';
import { References } from './references.js';
import { ShownSources } from './shownSources.js';
import { stoppedBody } from './stopped.js';
import type { Container } from './valueView.js';

/** How the user wants to begin. */
interface Beginning {
  readonly openAt: 'start' | 'end';
  readonly stopOnEntry: boolean;
}

export interface FrameReference {
  readonly thread: number;
  readonly frame: VisibleFrame;
}

export class Adapter {
  client = new DapClient(new Arguments({}, 'initialize'));
  readonly frames = new References<FrameReference>('frame');
  readonly containers = new References<Container>('variable');
  /** What `goto` may go to. */
  readonly targets = new References<Position>('target');
  /** What `stepIn` may go into: where the calls return. */
  readonly calls = new References<bigint>('call');
  /** What was shown, for `$1`, and variables of the user's. */
  readonly history = new ValueHistory();
  readonly programs = new KnownPrograms();
  readonly sources: ShownSources;
  readonly breakpoints: ClientBreakpoints;
  readonly dataBreakpoints: DataBreakpoints;
  readonly logPoints: LogPoints;
  readonly works: WorkList;
  readonly motion: Motion;
  beginning: Beginning = { openAt: 'end', stopOnEntry: false };
  /** Whether the client is through with its settings. */
  hasBegun = false;
  recorder: RunningRecorder | undefined;
  /** The client goes, and wants the program that is being recorded to go on. */
  isProgramLeft = false;
  private opened: DebuggedProgram | undefined;
  private commandConsole: CommandConsole | undefined;
  /** A command of the console is being done. */
  isCommanding = false;
  /** As they were when the program stood last: clients ask while it moves, too. */
  private knownThreads: DebugProtocol.Thread[] = [];

  constructor(
    readonly host: DapHost,
    readonly send: SendEvent,
    readonly ask: AskClient,
  ) {
    this.sources = new ShownSources(host.files);
    this.breakpoints = new ClientBreakpoints(this);
    this.dataBreakpoints = new DataBreakpoints(this);
    this.logPoints = new LogPoints(() => this.program.debug.evaluator, (text) => this.say(text));
    this.works = new WorkList(() => ({
      now: () => host.now(), breathe: () => host.breathe(), send: this.client.showsProgress ? send : undefined,
    }));
    this.motion = new Motion(this.works, { stopped: (stop) => this.stopped(stop), failed: (error) => this.moveFailed(error) });
  }

  /** The program that is debugged; it may be on its way. */
  get program(): DebuggedProgram {
    if (this.opened === undefined) throw new UserError('nothing is being debugged yet');
    return this.opened;
  }

  get isOpen(): boolean {
    return this.opened !== undefined;
  }

  /** The debugger of a program that stands still. */
  get debug(): Debugger {
    if (this.motion.isMoving) throw new UserError('notStopped');
    return this.program.debug;
  }

  get console(): CommandConsole {
    this.commandConsole ??= new CommandConsole(this.program, this.host.files);
    return this.commandConsole;
  }

  open(program: DebuggedProgram): void {
    if (this.opened !== undefined) throw new UserError('a program is being debugged already');
    this.opened = program;
    this.sources.adopt(program.debug.sources);
    // Which signals stop is the client's choice: exception filters.
    for (let signal = 1; signal <= SIGNAL_COUNT; signal++) program.debug.signals.handle(signal, { stop: false });
    this.programs.remember(program.debug);
    this.rememberThreads();
    this.breakpoints.update(true);
    for (const remark of program.remarks) this.say(remark);
  }

  get threads(): readonly DebugProtocol.Thread[] {
    if (!this.motion.isMoving) this.rememberThreads();
    return this.knownThreads;
  }

  /** To the debug console. */
  say(text: string, category: 'console' | 'stdout' | 'stderr' | 'important' = 'console'): void {
    this.send<DebugProtocol.OutputEvent>('output', { category, output: `${visibleLines(text)}\n` });
  }

  /** The program stands somewhere: what the client knew of it is void. */
  stopped(stop: Stop): void {
    this.moved();
    this.logPoints.flush(this.program.debug.position);
    const { body, remarks } = stoppedBody(stop, this);
    for (const remark of remarks) this.say(remark);
    this.send<DebugProtocol.StoppedEvent>('stopped', body);
  }

  /** What the debugger looks at: requests name frames, and it has one that is selected. */
  select({ thread, frame }: FrameReference): void {
    const { debug } = this;
    if (debug.thread?.id !== thread) debug.selectThread(thread);
    debug.selectFrame(frame.level);
  }

  /** Somewhere else than before, or something else than before. */
  moved(): void {
    this.sources.lookAgain();
    this.frames.forget();
    this.containers.forget();
    this.targets.forget();
    this.calls.forget();
    this.rememberThreads();
    this.breakpoints.dropEnded();
    this.breakpoints.update(this.programs.remember(this.program.debug));
  }

  private moveFailed(error: unknown): void {
    if (!(error instanceof Cancelled)) this.say(messageOf(error), 'important');
    this.stopped({ kind: 'cancelled', thread: this.program.debug.thread?.id ?? 0 });
  }

  private rememberThreads(): void {
    const threads = this.opened?.debug.threads ?? [];
    const isSeveral = new Set(threads.map(({ pid }) => pid)).size > 1;
    this.knownThreads = threads.map(({ id, name, pid, tid }) => ({ id, name: `${name === '' ? 'thread' : name} (${isSeveral ? `process ${pid}, ` : ''}${tid})` }));
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof UserError) return error.message;
  return `internal error: ${error instanceof Error ? error.message : String(error)} (a bug in culprit: please report it)`;
}
