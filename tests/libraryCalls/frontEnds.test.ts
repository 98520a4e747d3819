/** The same in the terminal, in gdb and in editors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { at } from '../../src/replay/log/position.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { Editor } from '../dap/editor.js';
import { ServedProgram, servedBytes } from '../gdbserver/served.js';
import { recordRun } from '../replay/recordedRun.js';
import { compile } from '../terminal/compiled.js';
import { type Talk, talk } from '../terminal/transcripts.js';

const HEAP = ['-O0', '-g', '-fno-builtin'];
const heap = (): string => compile('libraryCalls/programs/heap.c', HEAP);

describe('the terminal', () => {
  let session: Talk;
  const say = async (line: string): Promise<string> => session.say(line);
  beforeAll(async () => void (session = await talk(heap())), 60_000);

  it('stops at calls, and has all commands for breakpoints', async () => {
    await say('goto start');
    await say('tbreak main');
    await say('continue');
    expect(await say('breakpoint memcpy if write &x 4')).toMatch(/^Breakpoint 2 at calls of memcpy: 0x7\w+\n$/);
    expect(await say('info breakpoints')).toMatch(/^Num .*\n2 +call +keep y +0x0*7\w+ calls of memcpy\n\tstop only if write &x 4\n$/);
    expect(await say('c')).toMatch(/^Continuing\.\n\nBreakpoint 2, 0x\w+ in put \(value=0\) at .*heap\.c:21\n21\t/);
    expect(await say('print value')).toBe('$1 = 0\n');
    expect(await say('x/i $pc')).toMatch(/call .*<memcpy@plt>/);
    await say('ignore 2 1');
    expect(await say('c')).toMatch(/put \(value=4\)/);
    await say('condition 2 arg1 == &x && arg3 == 4');
    expect(await say('c')).toMatch(/put \(value=9\)/);
    await say('commands 2\nprint value + 1\nend');
    expect(await say('reverse-continue')).toMatch(/put \(value=4\)[^]*\$2 = 5\n$/);
    await say('disable 2');
    expect(await say('c')).toMatch(/exited normally|Inferior/);
    await say('enable 2');
    expect(await say('info breakpoints')).toMatch(/breakpoint already hit 5 times/);
    await say('delete 2');
    expect(await say('info breakpoints')).toBe('No breakpoints or watchpoints.\n');
    // gdb's own names are what they were.
    for (const name of ['b', 'br', 'bre', 'brea', 'break']) expect(await say(`${name} put`)).toMatch(/^(Note.*\n)*Breakpoint \d+ at 0x\w+: file .*heap.c, line 21\.\n$/);
    await say('delete');
  });

  it('finds where a pointer came from and where it went', async () => {
    await say('goto start');
    await say('tbreak release');
    await say('continue');
    expect(await say('breakpoint free if arg1 == p')).toMatch(/^Breakpoint \d+ at calls of free: /);
    expect(await say('breakpoint malloc if ret == p')).toMatch(/^Breakpoint \d+ at calls of malloc: /);
    expect(await say('c')).toMatch(/in release \(p=0x\w+\) at .*heap\.c:14\n/);
    expect(await say('rc')).toMatch(/in main \(\) at .*heap\.c:\d+\n\d+\t.*blocks\[i\] = malloc/);
    expect(await say('breakpoint frea')).toBe('no function frea; did you mean free?\n');
    expect(await say('breakpoint free if arg0 == 1')).toBe('no argument 0: the first one is arg1\n');
    await say('delete');
  });

  it('has checkpoints, and comes back to branches that are no more', async () => {
    expect(await say('info checkpoints')).toBe('No checkpoints.\n');
    await say('goto start');
    await say('break update');
    await say('continue');
    await say('delete');
    expect(await say('checkpoint')).toMatch(/^Checkpoint 1: time [\d,]+, update at heap\.c:25\.\n$/);
    await say('set var depth = 2');
    await say('next');
    expect(await say('checkpoint altered')).toMatch(/^Checkpoint 2 \(altered\): time [\d,]+, in a branch from time [\d,]+, update at heap\.c:26\.\n$/);
    await say('set var depth = 1');
    expect(await say('print depth')).toMatch(/ = 1\n/);
    expect(await say('rollback altered')).toMatch(/update \(depth=2\)/);
    await say('branch drop');
    expect(await say('print depth')).toMatch(/ = 0\n/);
    expect(await say('restart 2')).toMatch(/update \(depth=2\) at .*heap\.c:26/);
    expect(await say('info checkpoints')).toMatch(/^ {2}1: time .*\n\* 2 \(altered\): time .*\n$/);
    expect(await say('rollback 1')).toMatch(/update \(depth=0\) at .*heap\.c:25/);
    expect(await say('rollback 7')).toBe('no checkpoint 7; there are 1, 2 (altered)\n');
    expect(await say('checkpoint altered')).toMatch(/^there is a checkpoint altered already/);
    expect(await say('checkpoint 12')).toMatch(/^a number is no name/);
    await say('delete checkpoint 1');
    expect(await say('cdelete altered')).toBe('');
    expect(await say('info checkpoints')).toBe('No checkpoints.\n');
    expect(await say('rollback 1')).toBe('no checkpoint 1; there are none\n');
    await say('goto end');
  });
});

describe('gdb', () => {
  let program: ServedProgram;
  beforeAll(async () => void (program = await ServedProgram.record([heap()])), 60_000);
  afterAll(() => program.close());

  it('stops at calls that only the server knows of, in both directions', async () => {
    const said = await program.gdb('monitor start', 'stepi', 'break main', 'continue', 'delete', 'monitor breakpoint memcpy if write &x 4', 'continue', 'bt 2', 'continue', 'print value',
      'reverse-continue', 'print value', 'monitor breakpoints', 'monitor disable 1', 'monitor breakpoint free if arg1==0', 'continue', 'bt 1', 'monitor delete 2', 'monitor delete 9', 'continue');
    expect(said).toContain('breakpoint 1: calls of memcpy if write &x 4; continue and reverse-continue stop there');
    expect(said).toMatch(/Breakpoint 1 of "monitor breakpoint", calls of memcpy if write &x 4\n\n(?:Program|Thread .*) stopped\.\n0x\w+ in put \(value=0\)/);
    expect(said).toMatch(/put \(value=1\)[^]*\$1 = 1\n[^]*put \(value=0\)[^]*\$2 = 0\n1: calls of memcpy if write &x 4, hit 3 times\n/);
    expect(said).toMatch(/calls of free if arg1==0\n[^]*#0 .* main \(\) at .*heap\.c:\d+\n/);
    expect(said).toMatch(/No breakpoint number 9\.\n/);
  }, 60_000);

  it('has checkpoints', async () => {
    const said = await program.gdb('monitor info checkpoints', 'monitor start', 'stepi', 'break update', 'continue', 'delete', 'monitor checkpoint', 'set var depth=2', 'next', 'monitor checkpoint altered',
      'monitor branch drop', 'stepi', 'print depth', 'monitor rollback altered', 'stepi', 'print depth', 'monitor rollback 1', 'stepi', 'print depth', 'monitor info checkpoints', 'monitor rollback 5', 'monitor cdelete 1', 'monitor info checkpoints');
    expect(said).toMatch(/no checkpoints\n[^]*checkpoint 1: time [\d,]+, 0x\w+ <update\+\w+> \(heap.c-\w+\)\n[^]*checkpoint 2 \(altered\): time [\d,]+, in a branch from time [\d,]+/);
    expect(said).toMatch(/\$1 = 0\n[^]*\$2 = 2\n[^]*\$3 = 0\n/);
    expect(said).toMatch(/no checkpoint 5; there are 1, 2 \(altered\)\n/);
    expect(said).toMatch(/deleted\ncheckpoint 2 \(altered\)/);
  }, 60_000);
});

it('editors have them as function breakpoints with a condition', async () => {
  const editor = await Editor.start();
  try {
    let answer: { readonly breakpoints: readonly { readonly verified: boolean; readonly message?: string }[] } | undefined;
    const stop = await editor.begin('launch', { program: heap(), openAt: 'start' }, async () => {
      answer = await editor.ask('setFunctionBreakpoints', { breakpoints: [{ name: 'memcpy', condition: 'write &x 4' }, { name: 'mallox', condition: 'ret == 0' }] });
    });
    expect(answer?.breakpoints).toMatchObject([{ verified: true }, { verified: false, message: 'no function mallox; did you mean malloc?' }]);
    expect(stop).toMatchObject({ reason: 'function breakpoint' });
    expect((await editor.frames())[0]).toMatchObject({ name: 'put', line: 21 });
  } finally {
    await editor.close();
  }
}, 60_000);

it('what was typed is read again in branches, until they ask for more', async () => {
  const stdin = new TextEncoder().encode('1\n2\n3\n4\n');
  const { bytes, outcome } = await recordRun([compile('libraryCalls/programs/dialogue.c', ['-O0', '-g'])], { stdin });
  expect(outcome.output).toEqual(['1: sum 2\nsum 6\nsum 12\nsum 20\n']);
  const { execution, branches } = servedBytes(bytes);
  const session = await Debugger.open(execution, { files: NEAR_FILES, evaluator: new ValueEvaluator(), branches });
  const outputFrom = async (factor: number): Promise<string> => {
    const program = session.program();
    const symbol = program?.symbols.named('factor')[0];
    await session.write([{ kind: 'memory', address: symbol?.address ?? 0n, bytes: Uint8Array.of(factor, factor < 0 ? 255 : 0, factor < 0 ? 255 : 0, factor < 0 ? 255 : 0) }]);
    await session.goToEnd();
    return (session.branch?.output ?? []).map((one) => Buffer.from(one.bytes).toString('latin1')).join('');
  };
  await session.goTo(at(0));
  const point = session.addBreakpoint('dialogue.c:13');
  await session.continue();
  await session.continue();
  session.breakpoints.delete(point.number);
  const checkpoint = session.checkpoint('second answer');
  expect(await outputFrom(10)).toBe('sum 22\nsum 52\nsum 92\n');
  await session.rollback(checkpoint.id);
  // It asks in another place now: for what was typed next all the same.
  expect(await outputFrom(-10)).toBe('sum -18\nreally 3\n');
  await session.rollback('second answer');
  expect(session.branch).toBeUndefined();
  expect(session.position).toEqual(checkpoint.position);
}, 60_000);
