/** Tests leave nothing in the repository's root: guest programs run in folders of their own. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Cores are of gdb, which now and then fails itself. */
const EXPECTED: ReadonlySet<string> = new Set(['dist', 'coverage', 'node_modules', 'core']);

/** Vitest calls it before all tests, and what it returns after them. */
export function setup(): () => void {
  const before = new Set(readdirSync(ROOT));
  return () => {
    const left = readdirSync(ROOT).filter((name) => !before.has(name) && !EXPECTED.has(name));
    if (left.length === 0) return;
    process.exitCode = 1;
    throw new Error(`some test left ${left.join(', ')} in the repository's root`);
  };
}
