/** Alterations do what an edited source does: the compiler is the judge. */
import { describe, expect, it } from 'vitest';
import { applyAlterations } from '../../src/whatIf/apply.js';
import { sampled } from '../table/testTable.js';
import { alterationOf, edited, finished, recorded } from './altered.js';
import { CASES } from './cases.js';

for (const level of ['O0', 'O2']) {
  describe(`as the source edited by hand, -${level}`, () => {
    const cases = sampled(CASES.filter(({ optimised }) => level === 'O0' || optimised === true), 12);
    it.each(cases.map((one) => [`${one.program}: ${one.alter.join(', ')}`, one] as const))('%s', async (_name, { program, alter, edit }) => {
      const wanted = edited(program, edit, level);
      const run = await recorded(program, level);
      const branch = await applyAlterations(run, alter.map((text) => alterationOf(program, text)));
      expect(await finished(run.recording, branch)).toEqual(wanted);
    });
  });
}
