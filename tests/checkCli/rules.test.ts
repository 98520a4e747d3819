/** `culprit rules`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { inFolder } from './checked.js';

it('list has all that are shipped in a line each', () => {
  const { status, stdout, stderr } = culprit(['rules', 'list']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^double\.free +on +error +\{r\} is freed twice/m);
  expect(stdout).toMatch(/^definite\.leak +off +warning /m);
  expect(stdout).toMatch(/^return\.address\.write +never +error /m);
  for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^[\w.]+ +(on|off|never) +(error|warning|note) +\S/);
});

it('what could never fire says so, and cannot be switched on', () => {
  expect(culprit(['rules', 'show', 'return.address.write']).stdout).toContain('It never fires: culprit check does not track returnAddresses yet.');
  const { status, stderr } = culprit(['check', '--enable', 'return.address.write', 'true']);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^culprit: --enable return\.address\.write: it could never fire, since culprit check does not track returnAddresses yet; see culprit rules list\n$/) as string });
});

it('show has the rule as it is written', () => {
  const { stdout } = culprit(['rules', 'show', 'double.free']);
  expect(stdout).toContain('[double.free] detect <Trace; free r>: Allocated(r) && Freed(r, r1) :VPC(r), VPC(r1)');
  expect(culprit(['rules', 'show', 'nope'])).toEqual({ status: 2, stdout: '', stderr: 'culprit: no rule is called nope; see culprit rules list\n' });
});

it('compile shows what is made of a file, or what is wrong with it', () => {
  inFolder(({ path }) => {
    writeFileSync(join(path, 'mine.bug'), '[big.free] detect <Trace; free r>: Size(r) > 100 message "freed" severity note\n');
    writeFileSync(join(path, 'bad.bug'), '// Nothing yet.\n[bad] detect <free r>: Nonsense(r)\n');
    expect(culprit(['rules', 'compile', 'mine.bug'], { cwd: path }).stdout).toBe('1 rule without mistakes: big.free\n');
    expect(culprit(['rules', 'compile', '--emit', 'mine.bug'], { cwd: path }).stdout).toMatch(/^rule big\.free \(mine\.bug:1\).*\d+ of detector\n[^]*detector big\.free\(r\) \{/);
    const { status, stderr } = culprit(['rules', 'compile', 'bad.bug'], { cwd: path });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^bad\.bug:2:24: /);
  });
});
