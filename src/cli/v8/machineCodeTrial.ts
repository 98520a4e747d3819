/**
 * Whether V8's functions for keeping machine code (v8MachineCode.ts) do on this version of Node what we expect. They
 * are for V8's own tests: what they do not like ends the process. So they are tried out in processes of their own, once
 * for a version, and the verdict is remembered in the cache directory.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readPrivateFile, removeFile, writePrivateFile } from '../../host/privateFiles.js';
import { threadScript } from '../../host/threadScript.js';

const LONGEST_TRIAL_MS = 10_000;
const GOOD = 'good';
const LONGEST_VERDICT = 100;

/** Undefined if it has not been tried yet. */
export function trialVerdict(directory: string): boolean | undefined {
  const verdict = readPrivateFile(verdictFile(directory), LONGEST_VERDICT);
  return verdict === undefined ? undefined : Buffer.from(verdict).toString('latin1') === GOOD;
}

/**
 * `directory` is the user's alone. One process writes machine code out, another reads it back: within one it would be
 * the same module.
 */
export function tryMachineCode(directory: string): boolean {
  const script = threadScript('cli/v8/machineCodeProbe');
  if (script === undefined) return false;
  const kept = join(directory, `trial.${process.pid}`);
  const succeeds = (step: string): boolean => spawnSync(process.execPath, [script, step, kept], { stdio: 'ignore', timeout: LONGEST_TRIAL_MS }).status === 0;
  const isGood = succeeds('write') && succeeds('read');
  removeFile(kept);
  return writePrivateFile(verdictFile(directory), [Buffer.from(isGood ? GOOD : 'no good')]) && isGood;
}

function verdictFile(directory: string): string {
  return join(directory, `v8-${process.versions.v8.replace(/[^\w.-]/g, '_')}.trial`);
}
