/** The real gdb goes back in time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectLines } from './expectLines.js';
import { compiled, ServedProgram, STATIC, theTour, WITH_LIBRARY } from './served.js';

export function reverseCases(): void {
  describe('one thread', () => {
    let tour: ServedProgram;
    beforeAll(async () => {
      tour = await theTour();
    }, 60_000);

    it('opens at the crash, and goes back to who corrupted a variable', async () => {
      const text = await tour.quickGdb('bt', 'p name', 'watch name', 'reverse-continue', 'bt', 'p i', 'reverse-continue', 'reverse-continue', 'reverse-continue', 'p name', 'reverse-continue', 'continue');
      expectLines(text, 'in sum (n=0x10)', /^#0 .*sum \(n=0x10\)/, /^#1 .*main/, '= "uncXXXXed', 'Hardware watchpoint 1: name', 'Old value = "uncXXXXed', 'New value = "uncXXXged',
        /^#0 .* corrupt \(.*from=3\)/, '= 6', 'New value = "uncXXnged', 'New value = "uncXanged', 'New value = "unchanged', '= "unchanged', 'SIGUSR1', 'Old value = "unchanged', 'New value = "uncXanged');
    });

    it('steps back over lines, into calls, out of functions and over a signal handler', async () => {
      const text = await tour.gdb(WITH_LIBRARY, 'break corrupt', 'reverse-continue', 'reverse-finish', 'reverse-step', 'reverse-step', 'delete', 'reverse-finish', 'handle SIGUSR1 nostop noprint', 'reverse-next', 'reverse-next', 'reverse-next', 'reverse-next', 'reverse-step', 'reverse-stepi', 'stepi', 'next');
      expectLines(text, 'Breakpoint 1, corrupt', /57\s+corrupt\(name, 3\);/, 'sum (n=', /35\s+\}/, /56\s+int total = sum\(head\)/, /55\s+raise/, /54\s+int four/, /53\s+per_thread/, 'push (value=9)');
    });

    it('steps back from the first instruction of a signal handler to what it interrupted', async () => {
      const text = await tour.quickGdb('break *on_signal', 'reverse-continue', 'monitor when', 'reverse-continue', 'p $pc', 'monitor when', 'reverse-stepi', 'x/i $pc', 'stepi', 'p $pc == $1', 'stepi', 'p $pc == on_signal', 'reverse-stepi', 'p $pc == $1');
      expectLines(text, 'Breakpoint 1, on_signal', 'SIGUSR1', '$1 =', 'syscall', 'SIGUSR1', '$2 = 1', 'on_signal', '$3 = 1', '$4 = 1');
    });

    it('stops at both ends, from which it goes back again', async () => {
      const text = await tour.gdb('continue', 'reverse-continue', 'reverse-continue', 'info registers rip', 'reverse-stepi', 'stepi', 'tbreak main', 'continue', 'continue', 'continue', 'continue');
      expectLines(text, 'No more reverse-execution history.', 'SIGUSR1', 'No more reverse-execution history.', /^rip .*0x7ffff7f/, 'No more reverse-execution history.', 'ld-linux', 'ld-linux', 'Temporary breakpoint 1, main', 'SIGUSR1', 'received signal SIGSEGV', 'No more reverse-execution history.');
    });

    it('monitor commands', async () => {
      const text = await tour.quickGdb('monitor help', 'monitor when', 'monitor bookmark crash', 'monitor last counter', 'stepi', 'p counter', 'monitor goto 1000', 'stepi', 'monitor when', 'monitor goto crash', 'stepi', 'bt', 'monitor threads', 'monitor processes', 'monitor branch');
      expectLines(text, 'monitor goto TIME', /^time [\d,]+ of [\d,]+$/, /^bookmark crash/, /^time [\d,]+: thread \d+ before 0x.*<push\+/, 'stopped.', 'push (value=9)', '= 9', /^time 1,000: stepi goes there/, /^time 1,000 of/, 'sum (n=0x10)', /^#1 .*main/, /^\* process 20000 thread 20000/, /is killed by signal 11/, 'no branch');
      expect(await tour.quickGdb('monitor goto 99999999999', 'monitor gibberish')).toMatch(/no such time: 99999999999; .*\n[^]*no such command: gibberish/);
    });

    it('slices: the same text as at the prompt, and goes where dependences lead', async () => {
      const text = await tour.quickGdb('monitor slice', 'monitor info slices', 'monitor deps', 'monitor follow 1', 'stepi', 'bt', 'monitor rsstep', 'monitor sbreak 1 all', 'monitor prune 9 x');
      expectLines(text, /^Slice 1: the crash at tour\.c:\d+ in \w+, time [\d,]+:/, /^\[ ?\d+\] .* > /, /^Num {2}Lines/, /^1 {4}\d+ .*the crash/, /^tour\.c:\d+#\d+ depends on:/, /^1 {2}tour\.c:\d+#\d+/, /^time [\d,]+: stepi goes there/, /^#0 /, /^\[\d+\] tour\.c:\d+#\d+/, /^breakpoint 1: slice 1, \d+ instances/, 'there is no slice 9');
    });

    it('has thread-local variables, signal information and mappings', async () => {
      const text = await tour.gdb('p per_thread', 'p $_siginfo.si_signo', 'p $_siginfo._sifields._sigfault.si_addr', 'info auxv', 'info proc mappings', 'info proc', 'info os processes', 'info sharedlibrary', 'info registers mxcsr fctrl ftag st0 fs_base');
      expectLines(text, '= 42', '= 11', '= (void *) 0x10', 'AT_ENTRY', '[stack]', 'tour', /20000/, 'libc.so.6', /^mxcsr .*IM DM ZM/, /^fctrl .*0x37f/, /^ftag .*0xffff/);
    });
  });

  it('steps over a function that calls itself, and out of it, are few packets', async () => {
    const program = await ServedProgram.record([await compiled('recursion.c', STATIC)]);
    const text = await program.quickGdb('tbreak main', 'run', 'next', 'set debug remote 1', 'next', 'reverse-next', 'break fib if n == 15', 'next', 'set debug remote 0', 'p n', 'next', 'reverse-next', 'p n', 'next', 'p $_exitcode == $_exitcode');
    const finished = await program.quickGdb('tbreak main', 'run', 'tbreak fib if n == 15', 'continue', 'set debug remote 1', 'finish', 'set debug remote 0', 'p n');
    await program.close();
    expectLines(finished, 'Value returned is $1 = 610', '$2 = 16');
    expect(finished.match(/Sending packet/g)?.length).toBeLessThan(400);
    expectLines(text, /number = fib/, /return number/, /number = fib/, 'fib (n=15)', '= 15', 'fib (n=15)');
    expect(text.match(/Sending packet/g)?.length).toBeLessThan(150);
  });

  describe('threads', () => {
    let threads: ServedProgram;
    beforeAll(async () => {
      threads = await ServedProgram.record([await compiled('threads.c')], {}, { seed: 3 });
    }, 60_000);
    afterAll(() => threads.close());

    it('finds the thread that corrupted a variable, and what the others did', async () => {
      const text = await threads.gdb('break threads.c:29', 'reverse-continue', 'p limit', 'watch limit', 'reverse-continue', 'info threads', 'bt', 'p own', 'thread 1', 'bt', 'p own', 'break add thread 1', 'continue', 'continue', 'continue', 'finish');
      expectLines(text, /joined/, '= -1', 'Old value = -1', 'New value = 100', '* 2    Thread 20000.20001', /^#0 .*worker/, '= 30', '[Switching to thread 1', 'main ()', '= 500', 'New value = -1');
    });

    it('steps one thread back and forth while others run', async () => {
      const text = await threads.quickGdb('break worker', 'reverse-continue', 'next', 'next', 'step', 'reverse-step', 'reverse-next', 'reverse-step', 'p amount', 'reverse-finish', 'thread');
      expectLines(text, 'hit Breakpoint 1, worker', /^19\s/, /^20\s/, 'add (amount=2)', /^20\s/, /^19\s/, 'add (amount=1)', '= 1', /^18\s/, 'Current thread is 2');
    });
  });
}
