/**
 * Whether V8's functions for keeping machine code (v8MachineCode.ts) do on this version of Node what we expect. They are for V8's own tests: what they do
 * not like ends the process. So they are tried out in processes of their own, once for a version, and the verdict is remembered in the cache directory.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { threadScript } from '../host/threadScript.js';

const LONGEST_TRIAL_MS = 10_000;

/** Undefined if it has not been tried yet. */
export function trialVerdict(directory: string): boolean | undefined {
  try {
    return fs.readFileSync(verdictFile(directory), 'latin1') === 'good';
  } catch {
    return undefined;
  }
}

/** One process writes machine code out, another reads it back: within one it would be the same module. */
export function tryMachineCode(directory: string): boolean {
  const script = threadScript('machineCodeProbe', 'cli');
  if (script === undefined) return false;
  const kept = join(directory, `trial.${process.pid}`);
  const succeeds = (step: string): boolean => spawnSync(process.execPath, [script, step, kept], { stdio: 'ignore', timeout: LONGEST_TRIAL_MS }).status === 0;
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const isGood = succeeds('write') && succeeds('read');
    fs.writeFileSync(verdictFile(directory), isGood ? 'good' : 'no good', { mode: 0o600 });
    return isGood;
  } catch {
    return false;
  } finally {
    fs.rmSync(kept, { force: true });
  }
}

function verdictFile(directory: string): string {
  return join(directory, `v8-${process.versions.v8.replace(/[^\w.-]/g, '_')}.trial`);
}
