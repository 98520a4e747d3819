/** What is altered by name: gdb stands in the branch, and its own commands work there. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectLines } from './expectLines.js';
import { type ServedProgram, theTour } from './served.js';

const run = promisify(execFile);
const CULPRIT = fileURLToPath(new URL('../../bin/culprit', import.meta.url));

/** The statement that destroys the list. */
const DESTROY = 'tour.c:60';

export function alteringCases(): void {
  describe('alterations', () => {
    let tour: ServedProgram;
    beforeAll(async () => {
      tour = await theTour();
    }, 60_000);

    it('gdb stands in the branch, at breakpoints and ends of its own, and the list is switched off and on', async () => {
      const text = await tour.quickGdb(
        `monitor suppress ${DESTROY}`, 'stepi', 'info line', 'set var counter = 77', 'break sum', 'continue', 'finish', 'monitor info alterations', 'monitor compare', 'monitor alteration off 1', 'stepi', 'p counter', 'delete', 'continue', 'monitor alteration on 1', 'stepi', 'continue', 'monitor alterations', 'monitor branch drop', 'stepi', 'p counter', 'monitor alterations', 'monitor suppress nowhere.c:1',
      );
      expectLines(text,
        /^a branch from time [\d,]+; stepi goes to time/, /main \(\) at .*tour\.c:60/, 'Line 60', 'Breakpoint 1, sum', 'Value returned is $1 = 45', `1   on  suppress ${DESTROY} all`,
        'the recording was killed by SIGSEGV, the branch exited with status 45', /they part after tour\.c:59/, 'counter = 10 -> 77',
        /^a branch from time/, '= 77', 'SIGSEGV', /^a branch from time/, 'The branch ends here: exited with code 45.', `1   on  suppress ${DESTROY} all`, 'back to the recording', /main \(\) at .*tour\.c:60/, '= 10', `1   off suppress ${DESTROY} all`, 'nowhere.c');
    });

    it('several of them, before gdb has looked at the first; and from a checkpoint on', async () => {
      const text = await tour.quickGdb(
        'monitor goto tour.c:52#1', 'stepi', 'monitor checkpoint loop', 'monitor switch tour.c:52#4', `monitor suppress ${DESTROY} once`, 'monitor alterations', 'stepi', 'p counter', 'continue', 'continue', 'monitor rollback loop', 'stepi', 'p counter', 'continue', 'continue', 'monitor compare 1 2', 'monitor compare 7');
      expectLines(text,
        'checkpoint 1 (loop)', '1   on  switch tour.c:52#4', '= 0', 'SIGUSR1', 'The branch ends here: exited with code 3.',
        'checkpoint 1 (loop)', 'Alteration 1 is on from here', '= 0', 'SIGUSR1', 'The branch ends here: exited with code 3.',
        'the run with alteration 1 was killed by SIGSEGV, the run with alteration 2 exited with status 45', 'there is no alteration 7');
    });

    it('stops at instances of slices in both directions, though gdb knows nothing of these stops', async () => {
      const text = await tour.quickGdb('monitor slice', 'monitor sbreak 1 all', 'monitor rsstep', 'stepi', 'p $pc', 'monitor end', 'stepi', 'reverse-continue', 'p $pc == $1', 'reverse-continue', 'continue', 'p $pc == $1', 'monitor breakpoints', 'monitor delete 1', 'monitor breakpoints', 'reverse-continue');
      expectLines(text, /^Slice 1: the crash/, /^breakpoint 1: slice 1, \d+ instances; continue/, '$1 =', 'Breakpoint 1 of "monitor sbreak", slice 1', '$2 = 1', 'Breakpoint 1 of "monitor sbreak", slice 1', 'Breakpoint 1 of "monitor sbreak", slice 1', '$3 = 1', /^1: slice 1, hit 3 times$/, 'deleted', 'no breakpoints on calls or slices', 'SIGUSR1');
      expect(text).not.toContain('SIGTRAP');
    });

    it('in culprit gdb they are commands of gdb', async () => {
      const commands = [`suppress ${DESTROY}`, 'continue', 'alterations', 'suppress nowhere.c:1', 'help switch'];
      const { stdout, stderr } = await run(CULPRIT, ['gdb', tour.path, '--', '-nx', '-batch', '-iex', 'set auto-solib-add off', '-iex', 'set debuginfod enabled off', ...commands.flatMap((command) => ['-ex', command])], { timeout: 60_000 });
      expectLines(stdout, /^main \(\) at .*tour\.c:60/, 'Let a condition go the other way', 'switch FILE:LINE');
      expectLines(stderr, 'The branch ends here: exited with code 45.', `1   on  suppress ${DESTROY} all`, 'nowhere.c');
    }, 60_000);
  });
}
