/** Programs of these tests: compiled in a folder of their own, recorded by the command, and run again under guards. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GuardedRun, guardedRun, type GuardSettings } from '../../src/blame/guards/guardedRun.js';
import { chosenRules } from '../../src/check/chosenRules.js';
import { shippedRules, shippedSuppressions } from '../../src/cli/arguments/shippedRules.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { openedRecording } from '../../src/cli/opening/openedRecording.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { NodeHost } from '../../src/host/nodeHost.js';

/** Made once: V8 does not compile the same bytes again as long as a module of them is alive. */
export const coreModule = buildCoreModule();
export const KEPT = new WebAssembly.Module(coreModule);

const CULPRIT = fileURLToPath(new URL('../../bin/culprit', import.meta.url));

export interface Recorded {
  readonly path: string;
  readonly stdout: string;
  /** As a shell has it. */
  readonly status: number;
}

export interface RecordOptions {
  readonly args?: readonly string[];
  /** What its standard input is, by a pipe or from a file. */
  readonly input?: string;
  readonly file?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Who runs it, by number. */
  readonly user?: number;
  /** Options of `culprit record`. */
  readonly options?: readonly string[];
}

/** A folder with programs and their files. */
export class Workplace {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'blame-'));

  compile(source: string, flags: readonly string[] = ['-O0']): string {
    fs.writeFileSync(this.at('program.c'), source);
    execFileSync('gcc', ['-w', '-g', ...flags, '-o', this.at('program'), this.at('program.c'), '-pthread']);
    return this.at('program');
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  write(name: string, text: string): string {
    fs.writeFileSync(this.at(name), text);
    return this.at(name);
  }

  record({ args = [], input = '', file, user, environment = {}, options = [] }: RecordOptions = {}): Recorded {
    const recording = this.at('run.culprit');
    const { stdout, status, stderr } = spawnSync(CULPRIT, ['record', '-o', recording, ...options, '--', './program', ...args], {
      cwd: this.folder, encoding: 'utf8', env: { ...process.env, ...environment },
      ...(user === undefined ? {} : { uid: user, gid: user }),
      ...(file === undefined ? { input } : { stdio: [fs.openSync(file, 'r'), 'pipe', 'pipe'] }),
    });
    if (status === null || !fs.existsSync(recording)) throw new Error(`not recorded: ${stderr}`);
    return { path: recording, stdout, status };
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function guarded(recording: string, settings: Partial<GuardSettings> = {}): Promise<GuardedRun> {
  return guardedRun(openedRecording(recording), { chosen: chosenRules(shippedRules()), suppressions: shippedSuppressions(), files: NODE_FILES, host: new NodeHost(), engine: { coreModule }, ...settings });
}

/** What a run wrote to its stdout. */
export function stdoutOf({ output }: Pick<GuardedRun, 'output'>): string {
  return output.filter(({ fd }) => fd === 1).map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

/** Rule and line of each report. */
export function findingsOf({ reports }: GuardedRun): string[] {
  return reports.map(({ rule, stack }) => `${rule} ${stack.find(({ isUsers }) => isUsers)?.line}`);
}

/** The line with a mark. */
export function lineOf(source: string, mark: string): number {
  return source.split('\n').findIndex((text) => text.endsWith(`// @${mark}`)) + 1;
}
