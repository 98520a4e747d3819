/** The example of docs/triage.md, as a user would type it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { CULPRIT, ROOT } from '../cli/culprit.js';
import { examplesOf, firstDifference, printedByEach, shellScript } from '../install/consoleBlocks.js';
import { temporaryFolder } from './triaged.js';

it('does what it says', () => {
  const folder = temporaryFolder();
  try {
    const text = readFileSync(join(ROOT, 'docs/triage.md'), 'utf8');
    const [, source = ''] = /```c\n\/\/ shelf\.c\n([\s\S]*?)```/.exec(text) ?? [];
    writeFileSync(join(folder, 'shelf.c'), `// shelf.c\n${source}`);
    mkdirSync(join(folder, 'bin'));
    symlinkSync(CULPRIT, join(folder, 'bin', 'culprit'));
    const [examples = []] = examplesOf(text).blocks;
    const env = { ...process.env, PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter), CULPRIT_CODE_CACHE: join(folder, 'cache') };
    const { stdout } = spawnSync('bash', ['-c', shellScript(examples)], { cwd: folder, env, encoding: 'utf8' });
    const printed = printedByEach(stdout);
    expect(printed.length).toBe(examples.length);
    for (const [i, { command, output }] of examples.entries()) expect(firstDifference(output, printed[i] ?? []), command).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 300_000);
