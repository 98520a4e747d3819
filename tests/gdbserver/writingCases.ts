/** What gdb writes goes to a branch; the recording is never altered. */
import { beforeAll, describe, it } from 'vitest';
import { expectLines } from './expectLines.js';
import { type ServedProgram, theTour } from './served.js';

export function writingCases(): void {
  describe('writing', () => {
    let tour: ServedProgram;
    beforeAll(async () => {
      tour = await theTour();
    }, 60_000);

    it('another value takes the program another way, and back in time is the recording', async () => {
      const text = await tour.quickGdb('break sum', 'reverse-continue', 'set var head->next->next = 0', 'p head->next->next', 'finish', 'monitor when', 'monitor branch', 'continue', 'reverse-continue', 'reverse-continue', 'p head->next->next', 'monitor branch', 'delete', 'continue', 'continue');
      expectLines(text, 'Breakpoint 1, sum', '= (struct node *) 0x0', 'Value returned is $2 = 17', 'in a branch from time', 'a branch from time', 'No more reverse-execution history', 'Breakpoint 1, sum', 'no branch', 'SIGSEGV');
    });

    it('a branch ends as it does, not as the recording does', async () => {
      const text = await tour.quickGdb('break sum', 'reverse-continue', 'delete', 'set var head->next->next = 0', 'continue', 'monitor branch', 'monitor when', 'monitor branch drop', 'stepi', 'continue', 'continue');
      expectLines(text, 'Breakpoint 1, sum', 'The branch ends here: exited with code 17.', 'No more reverse-execution history', /^it ends at time ([\d,]+): exited with code 17$/, /^time ([\d,]+) of \1, in a branch from time/, 'back to the recording', 'SIGSEGV', 'The process ends here: killed by SIGSEGV.');
    });

    it('functions of the program can be called, and leave no trace', async () => {
      const text = await tour.quickGdb('up', 'p counter', 'p twice(21)', 'p push(5)', 'p counter', 'p twice(twice(5)) + twice(7) + 1', 'bt', 'monitor when', 'monitor branch', 'set var counter = 5', 'p twice(counter)', 'p push(1)', 'p counter', 'monitor branch drop', 'stepi', 'p counter', 'bt');
      expectLines(text, '= 10', '= 42', '= void', '= 10', '= 35', /^#1 .*main/, /^time ([\d,]+) of \1$/, 'no branch', '= 10', '= void', '= 5', 'back to the recording', '= 10', /^#1 .*main/);
    });

    it('registers can be set', async () => {
      const text = await tour.quickGdb('break twice', 'reverse-continue', 'reverse-continue', 'p x', 'set $rdi = 50', 'p $rdi', 'p $xmm0.uint128', 'set var x = 8', 'finish', 'p $eflags', 'set $xmm0.uint128 = 7', 'p $xmm0.uint128', 'set $eflags = 0x246', 'p $eflags', 'set $pc = twice', 'continue');
      expectLines(text, '= 2', '= 50', /Value returned is .* = 16/, '= 7', '= [ PF ZF IF ]', 'twice (x=50)');
    });
  });
}
