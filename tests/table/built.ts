/** Sees to it that the command under test is built from the sources as they are now, once for all test files. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LOCK = join(ROOT, 'tests/build/culprit.lock');
/** A lock older than this was left by a build that died. */
const STALE_MILLISECONDS = 120_000;

export async function ensureBuilt(): Promise<void> {
  while (!isFresh()) {
    const lock = tryLock();
    if (lock === null) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      continue;
    }
    try {
      if (!isFresh()) execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
    } finally {
      closeSync(lock);
      rmSync(LOCK);
    }
  }
}

function tryLock(): number | null {
  mkdirSync(join(ROOT, 'tests/build'), { recursive: true });
  try {
    return openSync(LOCK, 'wx');
  } catch {
    const age = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - age > STALE_MILLISECONDS) rmSync(LOCK, { force: true });
    return null;
  }
}

function isFresh(): boolean {
  const built = ['dist/culprit.cjs', 'dist/core.wasm'].map((path) => join(ROOT, path));
  if (process.env['CULPRIT_NO_BUILD'] === '1') return true;
  if (!built.every((path) => existsSync(path))) return false;
  return Math.min(...built.map((path) => statSync(path).mtimeMs)) > newestSource(join(ROOT, 'src'));
}

function newestSource(directory: string): number {
  const times = readdirSync(directory, { withFileTypes: true }).map((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return newestSource(path);
    return entry.name.endsWith('.test.ts') ? 0 : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}
