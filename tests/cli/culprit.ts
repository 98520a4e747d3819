/** Runs the built command and gives back what a user would see. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CULPRIT = `${ROOT}bin/culprit`;
export const HELLO = `${ROOT}demo/hello`;

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Settings {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly cwd?: string;
}

export function culprit(args: readonly string[], settings: Settings = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CULPRIT, ...args], {
    encoding: 'utf8',
    cwd: settings.cwd ?? ROOT,
    env: { ...process.env, ...settings.env },
    input: settings.input ?? '',
  });
  return { status, stdout, stderr };
}
