/**
 * A folder for programs to run in, so that they leave nothing in ours. Relative paths of the guest go by our own
 * working directory.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Those who run at the same time are in the same one: we have only one working directory. */
let shared: { readonly folder: string; readonly before: string; users: number } | undefined;

/** It is gone afterwards, with all that is in it. */
export async function inOwnFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  const own = (shared ??= enter());
  own.users++;
  try {
    return await action(own.folder);
  } finally {
    if (--own.users === 0) {
      process.chdir(own.before);
      rmSync(own.folder, { recursive: true });
      shared = undefined;
    }
  }
}

function enter(): NonNullable<typeof shared> {
  const [before, folder] = [process.cwd(), realpathSync(mkdtempSync(join(tmpdir(), 'culprit-replay-')))];
  process.chdir(folder);
  return { folder, before, users: 0 };
}
