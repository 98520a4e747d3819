/**
 * Starts a file as a guest inside this process and says what became of it. Anything but an outcome is an exception, and
 * a bug.
 */
import { UserError } from '../../src/base/errors.js';
import { bytePath } from '../../src/base/bytePath.js';
import { createGuest } from '../../src/linux/guest.js';
import type { ExitStatus } from '../../src/linux/kernel.js';
import { QuietHost, TimeIsUp } from '../crashes/quietHost.js';

export type Outcome =
  | { readonly kind: 'refused'; readonly line: string; readonly exitCode: number }
  | { readonly kind: 'ended'; readonly status: ExitStatus; readonly stdout: string }
  | { readonly kind: 'running' };

const LONGEST_MILLISECONDS = 2000;

export async function outcomeOf(path: string, coreModule: Uint8Array<ArrayBuffer>): Promise<Outcome> {
  const host = new QuietHost(0, {}, LONGEST_MILLISECONDS);
  try {
    const guest = createGuest(host, { program: bytePath(path), args: [], environment: [], engine: { noCompiler: true, coreModule } });
    return { kind: 'ended', status: await guest.world.run(), stdout: host.stdout };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'refused', line: error.message, exitCode: error.exitCode };
    if (error instanceof TimeIsUp) return { kind: 'running' };
    throw error;
  }
}

/** A guest that started is the guest's own affair; a refusal must be one line, with a status that shells use. */
export function isProper(outcome: Outcome): boolean {
  if (outcome.kind !== 'refused') return true;
  return /^[^\n]{10,300}$/.test(outcome.line) && (outcome.exitCode === 126 || outcome.exitCode === 127);
}
