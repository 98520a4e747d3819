/**
 * Functions that allocate do under `culprit check` what they do natively, whatever they are given, and wild pointers
 * are named to the bit.
 */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { compiled, inFolder } from './checked.js';

it.each(['dynamic', 'static'] as const)('odd alignments, sizes and errno (%s)', (linkage) => {
  const program = compiled('alignments', 'c', linkage);
  inFolder(({ check }) => {
    const { status, stdout, stderr } = check('--disable', 'libc.*', program);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(execFileSync(program, { encoding: 'utf8' }));
  });
});

it('a pointer above 2^53 is reported as it is', () => {
  inFolder(({ check, file }) => {
    const { stderr } = check('--json-file', 'found.json', compiled('farAway'));
    expect(stderr).toContain('free of 0xdeadbeefcafebabe, which is not the begin of a heap block [unmatched.free]');
    expect(stderr).toContain('0xdeadbeefcafebabe, a constant');
    expect(JSON.parse(file('found.json'))).toMatchObject([{ message: expect.stringContaining('0xdeadbeefcafebabe') as string }]);
  });
});

it('so is an index that leads there', () => {
  inFolder(({ check, file }) => {
    check('--json-file', 'found.json', compiled('farAway'), 'far');
    const [{ access: { address }, message } = { access: { address: '' }, message: '' }] = JSON.parse(file('found.json')) as { access: { address: string }; message: string }[];
    expect(message).toContain('byte 327942116865947580 of a local variable of 40 bytes');
    expect(BigInt(address)).toBeGreaterThan(1n << 53n);
    expect(message).toContain(address);
  });
});
