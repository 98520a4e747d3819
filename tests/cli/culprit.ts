/** Runs the built command and gives back what a user would see. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  /** Unless it is given, a folder that is gone afterwards: guest programs leave things where they run. */
  readonly cwd?: string;
}

export function culprit(args: readonly string[], settings: Settings = {}): Outcome {
  if (settings.cwd !== undefined) return culpritIn(settings.cwd, args, settings);
  const folder = mkdtempSync(join(tmpdir(), 'culprit-cli-'));
  try {
    return culpritIn(folder, args, settings);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function culpritIn(cwd: string, args: readonly string[], settings: Settings): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CULPRIT, ...args], {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, ...settings.env },
    input: settings.input ?? '',
    maxBuffer: 1 << 26,
  });
  return { status, stdout, stderr };
}
