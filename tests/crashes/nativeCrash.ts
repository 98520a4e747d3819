/** Compiles the programs, and lets them crash on the real machine under native/tracer.c. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Crash, ENVIRONMENT, shownFlags, withoutPid } from './crash.js';
import { COMMON_FLAGS, type CrashCase } from './crashCases.js';

const run = promisify(execFile);
/** si_code of a signal that carries an address is positive and not SI_KERNEL. */
const SI_KERNEL = 0x80;

export class Workshop implements Disposable {
  private readonly directory = mkdtempSync(join(tmpdir(), 'culprit-crashes-'));

  programPath(name: string): string {
    return join(this.directory, name);
  }

  async compileAll(cases: readonly CrashCase[]): Promise<void> {
    const commands = cases.map(({ name, flags }) => [...COMMON_FLAGS, ...(flags ?? []), '-o', this.programPath(name), source(`programs/${name}.c`)]);
    commands.push(['-O1', '-Wall', '-o', this.programPath('tracer'), source('native/tracer.c')]);
    const worker = async (): Promise<void> => {
      for (let command = commands.pop(); command !== undefined; command = commands.pop()) await run('gcc', command);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
  }

  crash(name: string): Crash {
    const report = this.programPath('report');
    rmSync(report, { force: true });
    const done = spawnSync(this.programPath('tracer'), [report, this.programPath(name)], { cwd: this.directory, env: ENVIRONMENT, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`${name}: the native run did not crash (${done.status}): ${done.stderr}`);
    return parse(readFileSync(report, 'utf8'), done.stderr);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function source(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function parse(report: string, message: string): Crash {
  const values = new Map(report.trim().split('\n').map((line) => line.split(' ') as [string, string]));
  const take = (name: string): string => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`the tracer does not report ${name}`);
    values.delete(name);
    return value;
  };
  const signal = parseInt(take('signal'), 16);
  const code = parseInt(take('code'), 16) | 0;
  const address = take('address');
  const pid = parseInt(take('pid'), 16);
  values.set('eflags', shownFlags(parseInt(take('eflags'), 16)));
  return { signal, code, address: hasAddress(code) ? address : '0', registers: withoutPid(Object.fromEntries(values), pid), message };
}

export function hasAddress(code: number): boolean {
  return code > 0 && code < SI_KERNEL;
}
