/** One program from start to end, as a shell would run it: what `run` and `record` have in common. */
import { UserError } from '../base/errors.js';
import { type BytePath, bytePathFromText } from '../host/bytePath.js';
import type { Host, HostClock } from '../host/host.js';
import { NodeHost } from '../host/nodeHost.js';
import { createSandbox } from '../host/sandbox/sandbox.js';
import { createGuest, type Guest } from '../linux/guest.js';
import type { Interceptor } from '../linux/interception.js';
import type { ExitStatus } from '../linux/kernel.js';
import type { Process } from '../linux/process.js';
import { FIRST_PID } from '../linux/steadyHost.js';
import type { Witness } from '../linux/witness.js';
import type { RunEnding } from '../linux/world.js';
import { openCodeStore } from './codeStore.js';
import { shellStatus } from './exitStatus.js';
import { takePidBase } from './pidBase.js';
import { prebuiltCore } from './prebuilt.js';
import { rawTail } from './rawArguments.js';
import { complain } from './report.js';
import { collectStats, statsJson, statsText } from './stats.js';
import { setPatience } from './tiering.js';

export interface RunOptions {
  readonly stats?: boolean;
  readonly json?: boolean;
  readonly env: readonly string[];
  readonly cwd?: string;
  readonly aslr?: number;
  readonly verbose?: boolean;
  readonly interpret?: boolean;
  readonly scheduleSeed?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly sandbox?: boolean;
  /** The number of the first process. */
  readonly pidBase?: number;
}

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
  /** It has ended the program itself: nobody wants to hear by which signal. */
  readonly hasStopped?: boolean;
  /** Something of ours has failed, and nobody will run any more. */
  failed(): Promise<void>;
}

/** `words` are the program and its arguments, the end of our own command line. Resolves to the exit status. */
export async function runProgram(words: readonly string[], options: RunOptions, observer?: RunObserver): Promise<number> {
  if (options.cwd !== undefined) enterDirectory(options.cwd);
  const machine = new NodeHost();
  // Files that it changes get the guest's time, which begins with the guest.
  let clock: Pick<HostClock, 'realtime'> = machine.clock;
  const host = options.sandbox === true ? createSandbox(machine, { now: () => clock.realtime() }) : machine;
  const [program, ...args] = rawTail(words) as [BytePath, ...BytePath[]];
  const environment = withVariables(host.environment(), options.env);
  const began = host.clock.milliseconds();
  const pids = takePidBase(options.pidBase);
  if (options.verbose === true && pids.isAnother) complain(`culprit: other runs have process ids from ${FIRST_PID} on: this one begins with ${pids.base} (--pid-base chooses)`);
  // In another layout addresses are others every time.
  const store = options.aslr === undefined && options.interpret !== true ? openCodeStore(observer?.interceptor === undefined ? program : `${program}.checked.${observer.interceptor.codeKey}`) : undefined;
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
      ...(observer === undefined ? {} : { witness: observer.witness }),
      onEnd: (process) => observer?.processEnded?.(process),
      ...(observer?.interceptor === undefined ? {} : { interceptor: observer.interceptor }),
    },
    engine: { noCompiler: options.interpret ?? false, coreModule: prebuiltCore(), knownCode: store?.known },
  });
  clock = guest.world.clock;
  observer?.started({ guest, host, program, args, environment });
  setPatience('guest code');
  const started = host.clock.milliseconds();
  const status = await runToEnd(guest, observer);
  const runMilliseconds = host.clock.milliseconds() - started;
  store?.save();
  await observer?.ended(guest, status);
  if (options.stats === true || options.json === true) {
    const stats = collectStats(guest, host, started - began, runMilliseconds);
    complain(options.json === true ? statsJson(stats, status) : statsText(stats));
  }
  const { ending } = guest.world;
  if (ending !== undefined) complain(endingText(ending, options.timeout));
  return shellStatus(status, observer?.hasStopped === true);
}

async function runToEnd({ world }: Guest, observer: RunObserver | undefined): Promise<ExitStatus> {
  try {
    return await world.run();
  } catch (error) {
    await observer?.failed();
    throw error;
  }
}

function endingText({ reason, tasks }: RunEnding, seconds: number | undefined): string {
  const what = reason === 'timeout' ? `not done after ${seconds} s:` : 'deadlock: all threads wait for each other:';
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

/** The environment with some variables added or replaced, in place as putenv does it. */
function withVariables(environment: readonly BytePath[], settings: readonly string[]): BytePath[] {
  const result = [...environment];
  for (const setting of settings.map(bytePathFromText)) {
    const prefix = setting.slice(0, setting.indexOf('=') + 1);
    const known = result.findIndex((entry) => entry.startsWith(prefix));
    if (known >= 0) result[known] = setting;
    else result.push(setting);
  }
  return result;
}
