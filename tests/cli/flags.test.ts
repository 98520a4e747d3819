/** Flags that we give to V8: one that it does not know is an error message in the middle of a program's own. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

const { FLAGS } = createRequire(import.meta.url)('../../bin/cachedScript.cjs') as { FLAGS: readonly string[] };

it('are known to this version of Node', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(FLAGS.length).toBeGreaterThan(0);
  for (const flag of FLAGS) expect(known).toContain(`  ${flag.split('=')[0]} (`);
});
