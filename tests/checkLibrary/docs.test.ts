/** The example of docs/check.md, as a user would run it: by Node, on the package. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compiled, inFolder, lineOf } from '../checkCli/checked.js';
import { ROOT } from '../cli/culprit.js';

it('does what it says', () => {
  const [, name = '', source = ''] = /```js\n\/\/ (checked\.mjs)\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/check.md'), 'utf8')) ?? [];
  inFolder(({ path }) => {
    mkdirSync(join(path, 'node_modules'));
    symlinkSync(ROOT, join(path, 'node_modules', 'culprit'));
    copyFileSync(compiled('several'), join(path, 'a.out'));
    writeFileSync(join(path, name), source);
    const { status, stdout, stderr } = spawnSync(process.execPath, [name], { cwd: path, encoding: 'utf8', timeout: 120_000 });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [loop, thread] = ['LOOP', 'THREAD'].map((mark) => lineOf('several', mark));
    expect(stdout.startsWith('done\nerror: ')).toBe(true);
    const told = [...stdout.matchAll(/^(?:error|warning): .* \[(.*)\]$/gm)].map(([, rule]) => rule);
    expect(told).toEqual(['heap.buffer.overflow', 'libc.block.too.small', 'definite.leak']);
    expect(stdout).toContain('2 more like it from the same place, 600 bytes altogether.');
    const lines = ["{ kind: 'exited', code: 3 } 1", `heap.buffer.overflow ${loop}`, `libc.block.too.small ${thread}`, `heap.buffer.overflow ${thread}`, ''];
    expect(stdout.split('\n').slice(-lines.length)).toEqual(lines);
  });
});
