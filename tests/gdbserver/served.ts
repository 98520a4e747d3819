/**
 * A program recorded in the test runner and served to real gdbs, which come and go. gdb runs in batch mode; what it
 * says is the result, without what differs between runs and machines.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type GdbListener, listenForGdb } from '../../src/cli/serving/gdbListener.js';
import type { Served } from '../../src/gdbserver/client.js';
import { recordedProcesses } from '../../src/replay/timeline/recordedProcesses.js';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/machine/engineOptions.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { openBytes, recordRun, type RunSettings } from '../replay/recordedRun.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';

const run = promisify(execFile);
const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD = fileURLToPath(new URL('../build/gdbserver/', import.meta.url));
const GDB_TIMEOUT = 50_000;
/** Where steps go through the C library, it takes gdb longer without its lines. */
export const WITH_LIBRARY = 'echo';
const coreModule = buildCoreModule();

/** Path of the program, made of programs/SOURCE. */
export async function compiled(source: string, flags: readonly string[] = ['-O0']): Promise<string> {
  mkdirSync(BUILD, { recursive: true });
  const path = `${BUILD}${source.replace(/\.\w+$/, '')}${flags.join('')}`;
  const temporary = `${path}.${process.pid}`;
  await run('gcc', ['-g', '-w', ...flags, '-o', temporary, SOURCES + source, '-lpthread', '-ldl']);
  // Other test files make the same one.
  renameSync(temporary, path);
  return path;
}

/** Starts quickly: there is no dynamic linker to be run. */
export const STATIC: readonly string[] = ['-O0', '-static'];

export function servedBytes(bytes: Uint8Array, options: Partial<Served> = {}, checkpointInterval?: number): Served {
  const { log, blobs, header } = openBytes(bytes);
  const player = { log, blobs, engine: { ...DEFAULT_ENGINE_OPTIONS, coreModule }, startSeconds: header.startSeconds };
  const execution = new Timeline({ ...player, checkpointInterval });
  return { execution, processes: recordedProcesses(log), branches: new TimelineBranches(execution, player, new NodeHost()), bookmarks: new Map(), breathe: () => setImmediate(), ...options };
}

export class ServedProgram {
  /** What was our own fault: none, in every test. */
  readonly faults: unknown[] = [];
  private listener: GdbListener | undefined;
  /** The recording's file. */
  bytes: Uint8Array = new Uint8Array(0);

  private constructor(
    readonly path: string,
    readonly served: Served,
  ) {}

  static async record(argv: readonly string[], options: Partial<Served> = {}, settings: RunSettings = {}): Promise<ServedProgram> {
    const { bytes } = await recordRun(argv, settings);
    const program = new ServedProgram(argv[0] as string, servedBytes(bytes, options));
    program.bytes = bytes;
    program.listener = await listenForGdb(program.served, { report: (error) => program.faults.push(error) });
    return program;
  }

  get port(): number {
    return this.listener?.port ?? 0;
  }

  /** What gdb says when it is connected and does these commands. */
  async gdb(...commands: readonly string[]): Promise<string> {
    return gdb(['set sysroot target:', 'set remotetimeout 60', `target extended-remote :${this.port}`, ...commands]);
  }

  /** The same without symbols of libraries, which take gdb longer than all the rest. */
  async quickGdb(...commands: readonly string[]): Promise<string> {
    return gdb(['set auto-solib-add off', 'set sysroot target:', 'set remotetimeout 60', `target extended-remote :${this.port}`, ...commands]);
  }

  async close(): Promise<void> {
    await this.listener?.close();
    if (this.faults.length > 0) throw this.faults[0];
  }
}

export async function gdb(commands: readonly string[], args: readonly string[] = []): Promise<string> {
  const all = ['set pagination off', 'set confirm off', 'set width 0', 'set debuginfod enabled off', ...commands];
  // Debug information of the C library takes gdb longer than all the rest; a command may ask for it.
  const apart = commands.includes(WITH_LIBRARY) ? [] : ['-iex', 'set debug-file-directory /nowhere'];
  const words = ['-nx', '-q', '-batch', ...apart, ...all.flatMap((command) => ['-ex', command]), ...args];
  // gdb fails if its last command does; what it says is what counts. Both streams in one, in order.
  const { stdout } = await run('sh', ['-c', 'gdb "$@" 2>&1 || true', 'gdb', ...words], { timeout: GDB_TIMEOUT });
  return stdout.split('\n').filter((line) => !/^(Reading |warning: File transfers)/.test(line)).join('\n');
}

let tour: Promise<ServedProgram> | undefined;

/** No test needs it any more. */
export async function closeTour(): Promise<void> {
  await (await tour)?.close();
}

/** programs/tour.c, which most cases debug. */
export async function theTour(): Promise<ServedProgram> {
  tour ??= compiled('tour.c').then((path) => ServedProgram.record([path]));
  return tour;
}
