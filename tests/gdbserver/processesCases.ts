/** Recordings with several processes: a client debugs one of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectLines } from './expectLines.js';
import { normalised } from './nativeCases.js';
import { compiled, gdb, ServedProgram, STATIC } from './served.js';

export function processesCases(): void {
  describe('several processes', () => {
    let program: ServedProgram;
    beforeAll(async () => {
      program = await ServedProgram.record([await compiled('processes.c', STATIC)]);
    }, 60_000);
    afterAll(() => program.close());

    it('the one that crashed is opened; the others are one command away', async () => {
      const text = await program.quickGdb('bt', 'watch value', 'reverse-continue', 'p i', 'delete', 'break calculate', 'reverse-continue', 'p times', 'reverse-continue', 'delete', 'monitor processes', 'detach',
        'attach 20000', 'info inferiors', 'tbreak calculate', 'reverse-continue', 'p times', 'p value', 'bt', 'continue', 'detach', 'attach 20002', 'tbreak main', 'reverse-continue', 'p argc', 'p argv[1]');
      expectLines(text, /^#0 .*calculate \(times=5\)/, 'Old value = 486', 'New value = 162', '= 4', 'Breakpoint 2, calculate', '= 5', 'No more reverse-execution history',
        /20000 from 0, exits with 0/, /\* 20001 .*killed by signal 11/, /20002 .*executes another program/, /20002 .*exits with 0/, 'process 20000', 'calculate (times=2)', '= 2', '= 1', /^#1 .*main/, 'No more reverse', 'main (argc=2', '= 2', '"again"');
    });

    it('a fork is followed as in a native run', async () => {
      const commands = ['set follow-fork-mode child', 'break calculate', 'continue', 'bt', 'p value', 'next', 'continue', 'bt'];
      const native = await gdb(['set auto-solib-add off', 'tbreak main', 'run', ...commands], [program.path]);
      const recorded = await program.quickGdb('detach', 'attach 20000', 'tbreak main', 'run', ...commands);
      const said = (text: string): string[] => normalised(text).filter((line) => !/^(\[|Temporary|\d+\t|Thread .*SIGCHLD|executed|9$)/.test(line));
      expect(said(native).join('\n')).toContain('received signal SIGSEGV');
      expect(said(recorded).slice(-said(native).length)).toEqual(said(native));
    });

    it('forks are caught in both directions, and a program that is executed is debugged by its own symbols', async () => {
      const text = await program.quickGdb('detach', 'attach 20000', 'tbreak main', 'run', 'catch fork', 'continue', 'continue', 'reverse-continue', 'reverse-continue', 'continue', 'continue', 'set follow-fork-mode child', 'catch exec', 'continue', 'tbreak main', 'continue', 'p argv[1]', 'monitor processes', 'reverse-continue');
      expectLines(text, 'forked process 20001', 'forked process 20002', 'forked process 20001', 'No more reverse-execution history', 'forked process 20001', 'forked process 20002', 'process 20002 is executing new program', /Catchpoint 3 \(exec'd/, 'main (argc=2', '"again"', /\* 20002 .*again/, 'No more reverse-execution history');
    });

    it('both processes of a fork can be kept', async () => {
      const text = await program.quickGdb('detach', 'attach 20000', 'tbreak main', 'run', 'set detach-on-fork off', 'break calculate', 'next', 'next', 'info inferiors', 'inferior 2', 'reverse-stepi', 'continue', 'p times', 'inferior 1', 'continue', 'p times');
      expectLines(text, 'process 20001', 'calculate (times=5)', '= 5', 'calculate (times=2)', '= 2');
    });

    it('a vfork holds the parent until its child executes a program', async () => {
      const spawner = await ServedProgram.record([await compiled('spawner.c', STATIC)]);
      const text = await spawner.quickGdb('tbreak main', 'run', 'catch vfork', 'continue', 'tbreak spawned', 'continue', 'p child', 'set follow-fork-mode child', 'continue', 'tbreak main', 'continue', 'p argc', 'continue');
      await spawner.close();
      expectLines(text, 'vforked process 20001', 'spawned (child=20001)', '= 20001', 'vforked process 20002', 'process 20002 is executing new program', 'main (argc=2', '= 2', 'No more reverse-execution history');
    });
  });
}
