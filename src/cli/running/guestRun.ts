/** One program from start to end, as a shell would run it: what `run` and `record` have in common. */
import { UserError } from '../../base/errors.js';
import type { BytePath } from '../../base/bytePath.js';
import type { Host, HostClock, HostFd } from '../../host/host.js';
import { confine, confinementText } from '../../host/confinement/confinement.js';
import type { WritablePlaces } from '../../host/confinement/landlock.js';
import { NodeHost } from '../../host/nodeHost.js';
import { createSandbox } from '../../host/sandbox/sandbox.js';
import { createGuest, type Guest } from '../../linux/guest.js';
import type { Interceptor } from '../../linux/interception.js';
import type { ExitStatus } from '../../linux/kernel.js';
import type { Process } from '../../linux/process.js';
import type { ChildrenPolicy } from '../../linux/processes/leftBehind.js';
import { FIRST_PID } from '../../linux/steadyHost.js';
import type { Witness } from '../../linux/witness.js';
import type { RunEnding } from '../../linux/world.js';
import { openCodeStore } from '../stores/codeStore.js';
import { endBySignal } from './endBySignals.js';
import { changedEnvironment, changesOf, readChanges } from '../arguments/environmentChanges.js';
import { shellStatus } from './exitStatus.js';
import { takePidBase } from './pidBase.js';
import { prebuiltCore } from '../stores/prebuilt.js';
import { rawTail } from '../arguments/rawArguments.js';
import { complain } from '../output/report.js';
import { collectStats, statsJson, statsText } from './stats.js';
import { setPatience } from '../v8/tiering.js';

export interface RunOptions {
  readonly stats?: boolean;
  readonly json?: boolean;
  readonly env: readonly string[];
  /** A file with more of that (environmentChanges.ts). */
  readonly environment?: string;
  readonly cwd?: string;
  readonly aslr?: number;
  readonly verbose?: boolean;
  readonly interpret?: boolean;
  readonly scheduleSeed?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly sandbox?: boolean;
  /** Megabytes that changes in the sandbox may take. */
  readonly sandboxMemory?: number;
  /** What we ourselves are still to write when a sandboxed program has begun. */
  readonly stillWrites?: Partial<WritablePlaces>;
  /** What becomes of processes that the program leaves behind. */
  readonly children?: ChildrenPolicy;
  /** Our own stdout is for something else: what the program writes to its stdout goes to stderr. */
  readonly keepsStdout?: boolean;
  /** The number of the first process. */
  readonly pidBase?: number;
}

/** How a run ended. */
interface RunResult {
  /** As a shell has it. */
  readonly status: number;
  /** A signal from outside has ended it: it is for us as well. */
  readonly endedBy: number | undefined;
}

const DEFAULT_SANDBOX_MEMORY = 1024;

/** A run that is about to begin. */
export interface StartedRun {
  readonly guest: Guest;
  readonly host: Host;
  readonly program: BytePath;
  readonly args: readonly BytePath[];
  readonly environment: readonly BytePath[];
}

/** Who looks on. */
export interface RunObserver {
  readonly witness: Witness;
  /** Steps in between the program and the machine. */
  readonly interceptor?: Interceptor;
  /** The program is loaded. What is thrown here ends it before it has begun. */
  started(run: StartedRun): void;
  /** A process has ended, and its memory is still there. */
  processEnded?(process: Process): void;
  ended(guest: Guest, status: ExitStatus): Promise<void>;
  /** It has ended the program itself: the user does not want to hear by which signal. */
  readonly hasStopped?: boolean;
  /** Something of ours has failed, and no process will run any more. */
  failed(): Promise<void>;
}

const STDERR = 2 as HostFd;

/** As `run` does it: our end is the program's. */
export async function runAsProgram(words: readonly string[], options: RunOptions, observer?: RunObserver): Promise<number> {
  const { status, endedBy } = await runProgram(words, options, observer);
  return endedBy === undefined ? status : endBySignal(endedBy);
}

/** `words` are the program and its arguments, the end of our own command line. */
export async function runProgram(words: readonly string[], options: RunOptions, observer?: RunObserver): Promise<RunResult> {
  if (options.cwd !== undefined) enterDirectory(options.cwd);
  const machine = new NodeHost();
  // Files that it changes get the guest's time, which begins with the guest.
  let clock: Pick<HostClock, 'realtime'> = machine.clock;
  const host = options.sandbox === true ? createSandbox(machine, { now: () => clock.realtime(), limit: (options.sandboxMemory ?? DEFAULT_SANDBOX_MEMORY) * 2 ** 20 }) : machine;
  const [program, ...args] = rawTail(words) as [BytePath, ...BytePath[]];
  const changes = new Map([...changesOf(options.env), ...(options.environment === undefined ? [] : readChanges(options.environment))]);
  const environment = changedEnvironment(host.environment(), changes);
  const began = host.clock.milliseconds();
  const pids = takePidBase(options.pidBase);
  if (options.verbose === true && pids.isAnother) complain(`culprit: other runs have process ids from ${FIRST_PID} on: this one begins with ${pids.base} (--pid-base chooses)`);
  // In another layout addresses are others every time.
  const store = options.aslr === undefined && options.interpret !== true ? openCodeStore(program, observer?.interceptor === undefined ? '' : `.checked.${observer.interceptor.codeKey}`) : undefined;
  setPatience('interpreter');
  const guest = createGuest(host, {
    program,
    args,
    environment,
    verbose: options.verbose ?? false,
    aslrSeed: options.aslr,
    pidBase: pids.base,
    world: {
      scheduleSeed: options.scheduleSeed ?? 0,
      timeout: (options.timeout ?? Infinity) * 1000,
      children: options.children ?? 'end',
      ...(options.keepsStdout === true ? { stdout: STDERR } : {}),
      ...(observer === undefined ? {} : { witness: observer.witness }),
      onEnd: (process) => observer?.processEnded?.(process),
      ...(observer?.interceptor === undefined ? {} : { interceptor: observer.interceptor }),
    },
    engine: { noCompiler: options.interpret ?? false, coreModule: prebuiltCore(), knownCode: store?.known },
  });
  const { world } = guest;
  clock = world.clock;
  // From now on there is a recording to be completed.
  if (observer !== undefined) world.outside.updateAll();
  observer?.started({ guest, host, program, args, environment });
  if (options.sandbox === true) {
    const confinement = confine(machine.files.inherited(), options.stillWrites);
    if (options.verbose === true) complain(`culprit: ${confinementText(confinement)}`);
  }
  setPatience('guest code');
  const started = host.clock.milliseconds();
  const status = await runToEnd(guest, observer);
  const runMilliseconds = host.clock.milliseconds() - started;
  // A sandboxed run leaves nothing behind, least of all code that others would run.
  if (options.sandbox !== true) store?.save();
  await observer?.ended(guest, status);
  if (options.stats === true || options.json === true) {
    const stats = collectStats(guest, host, started - began, runMilliseconds);
    complain(options.json === true ? statsJson(stats, status) : statsText(stats));
  }
  if (world.ending !== undefined) complain(endingText(world.ending, options.timeout));
  const endedBy = world.outside.endedBy(guest.process);
  world.outside.release();
  return { status: shellStatus(status, observer?.hasStopped === true || endedBy !== undefined), endedBy };
}

async function runToEnd({ world }: Guest, observer: RunObserver | undefined): Promise<ExitStatus> {
  try {
    return await world.run();
  } catch (error) {
    await observer?.failed();
    throw error;
  }
}

function endingText({ reason, tasks, isOfLeftBehind }: RunEnding, seconds: number | undefined): string {
  const deadlock = isOfLeftBehind ? 'the program has ended, and what it left behind waits for ever:' : 'deadlock: all threads wait for each other:';
  const what = reason === 'timeout' ? `not done after ${seconds} s:` : deadlock;
  return [what, ...tasks.map((task) => `  ${task}`)].map((line) => `culprit: ${line}`).join('\n');
}

function enterDirectory(directory: string): void {
  try {
    process.chdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'No such file or directory' : code === 'ENOTDIR' ? 'Not a directory' : code === 'EACCES' ? 'Permission denied' : String(code);
    throw new UserError(`--cwd ${directory}: ${reason}`);
  }
}
