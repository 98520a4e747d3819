/** Recordings with several processes: a client debugs one of them. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectLines } from './expectLines.js';
import { compiled, ServedProgram } from './served.js';

export function processesCases(): void {
  describe('several processes', () => {
    let program: ServedProgram;
    beforeAll(async () => {
      program = await ServedProgram.record([await compiled('processes.c')]);
    }, 60_000);
    afterAll(() => program.close());

    it('the one that crashed is opened; the others are one command away', async () => {
      const text = await program.quickGdb('bt', 'watch value', 'reverse-continue', 'p i', 'delete', 'break calculate', 'reverse-continue', 'p times', 'reverse-continue', 'delete', 'monitor processes', 'detach',
        'attach 20000', 'info inferiors', 'tbreak calculate', 'reverse-continue', 'p times', 'p value', 'bt', 'continue', 'detach', 'attach 20002', 'tbreak main', 'reverse-continue', 'p argc', 'p argv[1]');
      expectLines(text, /^#0 .*calculate \(times=5\)/, 'Old value = 486', 'New value = 162', '= 4', 'Breakpoint 2, calculate', '= 5', 'No more reverse-execution history',
        /20000 from 0, exits with 0/, /\* 20001 .*killed by signal 11/, /20002 .*exits with 0/, 'process 20000', 'calculate (times=2)', '= 2', '= 1', /^#1 .*main/, 'No more reverse', 'main (argc=2', '= 2', '"again"');
    });
  });
}
