/** Where time runs forward, gdb says the same of a recording as of a native run. */
import { beforeAll, describe, expect, it } from 'vitest';
import { expectLines } from './expectLines.js';
import { gdb, type ServedProgram, theTour } from './served.js';

/** Where gdb stands when it connects to a recording of the tour: two lines. */
const AT_THE_CRASH = 2;

/** Without what is said only natively, or only of remote targets, and without addresses on the stack. */
export function normalised(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !/^(\[Thread debugging|Using host libthread_db|\[Inferior|warning: |Temporary breakpoint \d+ at|`target:|gdb: warning|\d+ \d+ unc|\d+\t.*No such file)/.test(line) && line !== '')
    .map((line) => line.replace(/\d+\tin \.\/.*/, '').replaceAll('target:', '').replace(/0x7ff[0-9a-f]{9}/g, 'STACK').replace(/number=\d+/, 'number=?'))
    .filter((line) => line !== '');
}

export function nativeCases(): void {
  describe('forward, as natively', () => {
    let tour: ServedProgram;
    beforeAll(async () => {
      tour = await theTour();
    }, 60_000);

    async function expectSame(...commands: readonly string[]): Promise<void> {
      const native = await gdb(['tbreak main', 'run', ...commands], [tour.path]);
      const recorded = await tour.gdb('tbreak main', 'run', ...commands);
      expect(normalised(recorded).slice(AT_THE_CRASH)).toEqual(normalised(native));
      expect(native).toContain('main () at');
    }

    it('steps over lines, into functions and signal handlers, and out of them', () =>
      expectSame('bt', 'next', 'next', 'next', 'next', 'step', 'bt', 'finish', 'next', 'next', 'next', 'stepi', 'stepi', 'x/i $pc', 'break sum', 'continue', 'bt', 'finish', 'bt'));

    it('watchpoints, conditions, displays and values', () =>
      expectSame('watch counter', 'continue', 'continue', 'bt', 'p *head', 'delete', 'break push if value == 7', 'continue', 'info args', 'p counter', 'up', 'p i', 'awatch handled', 'continue', 'continue', 'delete', 'catch syscall write', 'continue', 'bt', 'p $rsi == stdout->_IO_write_base', 'continue', 'p $rax', 'bt'));

    it('watchpoints on the same bytes, and breakpoints behind them: all that are hit', () =>
      expectSame('handle SIGUSR1 nostop noprint', 'watch name', 'watch name[3]', 'watch *(short *) &name[4]', 'break sum', 'continue', 'continue', 'continue', 'continue', 'info breakpoints'));
  });

  describe('many watchpoints', () => {
    it('twenty at once, and structures of any size', async () => {
      const tour = await theTour();
      const text = await tour.gdb('tbreak main', 'run', ...Array.from({ length: 16 }, (_, i) => `watch name[${i}]`), 'watch counter', 'watch handled', 'watch head', 'watch table', 'continue', 'continue', 'delete 18', 'delete 20', 'continue', 'continue', 'continue', 'continue', 'continue', 'p name');
      expectLines(text, 'Hardware watchpoint 21: table', 'Hardware watchpoint 20: head', 'Hardware watchpoint 18: counter', 'Program received signal SIGUSR1', 'Hardware watchpoint 19: handled', 'Hardware watchpoint 5: name[3]', "New value = 88 'X'", 'Hardware watchpoint 6: name[4]', 'Hardware watchpoint 7: name[5]', '= "uncXXXged');
    }, 60_000);
  });
}
