import { copyFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { at } from '../../src/replay/log/position.js';
import { compile, debug, NEAR_FILES, shown, shownStack } from './debugged.js';
import { gdbSession } from './gdb.js';

async function watched() {
  return debug(compile('watched.c', ['-O0', '-g']), { evaluator: new ValueEvaluator() });
}

describe('watchpoints', () => {
  it('stop when a value changes, in both directions', async () => {
    const session = await watched();
    expect(session.lastStop).toMatchObject({ kind: 'end', ending: { how: 'signaled', code: 10 } });
    session.addWatchpoint('counter');
    const back = [];
    for (let i = 0; i < 4; i++) {
      const stop = await session.continue('backward');
      back.push(stop.kind === 'watchpoint' ? `${stop.old} -> ${stop.new} ${shown(session.frame)}` : stop.kind);
    }
    expect(back).toEqual(['11 -> 6 main watched.c:36', '6 -> 1 main watched.c:27', '1 -> 0 main watched.c:25', 'start']);
    const forth = [];
    for (let i = 0; i < 5; i++) {
      const stop = await session.continue();
      forth.push(stop.kind === 'watchpoint' ? `${stop.old} -> ${stop.new} ${shown(session.frame)}` : stop.kind);
    }
    expect(forth).toEqual(['0 -> 1 main watched.c:26', '1 -> 6 main watched.c:28', '6 -> 11 main watched.c:37', 'signal', 'end']);
  });

  it('follow a pointer', async () => {
    const session = await watched();
    await session.goTo(at(0));
    session.addBreakpoint('main', { temporary: true });
    await session.continue();
    session.addWatchpoint('current->second');
    const stops = [];
    for (let i = 0; i < 4; i++) {
      const stop = await session.continue();
      stops.push(stop.kind === 'watchpoint' ? `${stop.old} -> ${stop.new} ${shown(session.frame)}` : stop.kind);
    }
    expect(stops).toEqual(['0 -> 5 main watched.c:29', '5 -> 0 main watched.c:30', '0 -> 7 main watched.c:33', 'signal']);
  });

  it('end with the function', async () => {
    const session = await watched();
    await session.goTo(at(0));
    session.addBreakpoint('accumulate', { temporary: true });
    await session.continue();
    await session.next();
    session.addWatchpoint('sum', 'write', { condition: 'sum > 1' });
    const stops = [];
    for (let i = 0; i < 3; i++) {
      const stop = await session.continue();
      stops.push(stop.kind === 'watchpoint' ? `${stop.old} -> ${stop.new} ${shown(session.frame)}` : `${stop.kind} ${shown(session.frame)}`);
    }
    expect(stops).toEqual(['1 -> 3 accumulate watched.c:19', '3 -> 6 accumulate watched.c:19', 'scope main watched.c:27']);
    expect(session.breakpoints.all).toEqual([]);
  });

  it('see what the kernel writes, and find the last change', async () => {
    const session = await watched();
    expect(await session.lastChange('text')).toMatchObject({ kind: 'watchpoint', old: '"hello", \'\\000\' <repeats 26 times>' });
    expect(session.backtrace?.frames().map(shown)).toContain('main watched.c:35');
    await session.goTo(at(0));
    session.addCatchpoint({ what: 'syscall', numbers: [293] });
    expect(await session.continue()).toMatchObject({ kind: 'catchpoint', event: { kind: 'syscall', number: 293, phase: 'call' } });
    expect(await session.continue()).toMatchObject({ kind: 'catchpoint', event: { kind: 'syscall', number: 293, phase: 'return' } });
    expect(session.program()?.register('rax')).toBe(0n);
  });
});

describe('breakpoints', () => {
  it('have conditions, ignore counts and hit counts', async () => {
    const session = await watched();
    await session.goTo(at(0));
    const point = session.addBreakpoint('watched.c:20', { condition: 'i == 2' });
    await session.continue();
    expect(session.evaluator.evaluate('sum', session.program()!, session.frame).text).toBe('1');
    point.condition = undefined;
    await session.goTo(at(0));
    point.hits = 0;
    point.ignore = 2;
    await session.continue();
    expect(session.evaluator.evaluate('i', session.program()!, session.frame).text).toBe('3');
    expect(point.hits).toBe(3);
    expect(await session.finish()).toMatchObject({ kind: 'finished', function: 'accumulate', value: { text: '6', type: 'int' } });
  });
});

describe('a debugger', () => {
  it('opens at the end, and goes to breakpoints in both directions', async () => {
    const session = await debug(compile('calls.c', ['-O0', '-g']));
    expect(session.lastStop).toMatchObject({ kind: 'end', ending: { how: 'exited', code: 0 } });
    expect(shownStack(session)[0]).toContain('exit');
    const point = session.addBreakpoint('add');
    expect(await session.continue('backward')).toMatchObject({ kind: 'breakpoint', numbers: [1] });
    expect(shownStack(session)).toEqual(['add calls.c:6', 'twice calls.c:12', 'main calls.c:25']);
    await session.continue('backward');
    await session.continue('backward');
    expect(point.hits).toBe(3);
    expect(await session.continue('backward')).toMatchObject({ kind: 'start' });
    session.addBreakpoint('calls.c:18');
    await session.continue();
    expect(shown(session.frame)).toBe('add calls.c:6');
    session.breakpoints.delete(1);
    await session.continue();
    expect(shownStack(session)).toEqual(['fact calls.c:18', 'fact calls.c:19', 'fact calls.c:19', 'fact calls.c:19', 'main calls.c:26']);
    expect(await session.continue()).toMatchObject({ kind: 'end' });
  });
});

describe('modules', () => {
  it('are there once, also if they are linked without a part that becomes read-only', async () => {
    const session = await debug(compile('calls.c', ['-O0', '-g', '-Wl,-z,norelro']));
    expect(session.addBreakpoint('add').places.map(({ location }) => location.functionName)).toEqual(['add']);
    const files = session.program()?.modules.all.map(({ file }) => file) ?? [];
    expect(new Set(files).size).toBe(files.length);
  });
});

describe('a variable of a library', () => {
  it('is where the program has a copy of it', async () => {
    const library = compile('counted.c', ['-shared', '-fPIC', '-O0', '-g']);
    const session = await debug(compile('counting.c', ['-O0', '-g', '-no-pie', '-Wl,--no-as-needed', library]), { evaluator: new ValueEvaluator() });
    expect(session.lastStop).toMatchObject({ ending: { how: 'exited', code: 17 } });
    expect(session.evaluator.evaluate('counted', session.program()!, session.frame).text).toBe('17');
    session.addWatchpoint('counted');
    expect(await session.continue('backward')).toMatchObject({ kind: 'watchpoint', old: '17', new: '16' });
  });
});

describe('a type with alternatives', () => {
  it('has the one that its discriminant chooses', async () => {
    const session = await debug(compile('variants.s', []), { evaluator: new ValueEvaluator() });
    const shown = (expression: string): string => session.evaluator.evaluate(expression, session.program()!, session.frame).text;
    expect(['circle', 'rect', 'other', 'rect.Rect.h'].map(shown)).toEqual(['{Circle = {radius = 5}}', '{Rect = {w = 2, h = 3}}', '{Empty = {<No data fields>}}', '3']);
  });
});

describe('functions of libraries', () => {
  it('are found without debug information, also those that are chosen by the CPU', async () => {
    const session = await watched();
    session.addBreakpoint('strlen');
    session.addBreakpoint('pipe');
    expect(await session.continue('backward')).toMatchObject({ kind: 'breakpoint', numbers: [1] });
    expect(shownStack(session).at(-1)).toBe('main watched.c:36');
    expect(await session.continue('backward')).toMatchObject({ kind: 'breakpoint', numbers: [2] });
    expect(shownStack(session)).toEqual(['pipe', 'main watched.c:33']);
  });
});

describe('processes', () => {
  it('are stopped in, whichever they are and whenever they run', async () => {
    const session = await debug(compile('children.c', ['-O0', '-g']));
    expect(session.lastStop).toMatchObject({ kind: 'end', ending: { how: 'exited', code: 0 } });
    session.addBreakpoint('child_work');
    session.addBreakpoint('not_there_at_all', { pending: true });
    expect(await session.continue('backward')).toMatchObject({ kind: 'breakpoint', numbers: [1] });
    expect(shownStack(session)).toEqual(['child_work children.c:7', 'main children.c:12']);
    const child = session.thread?.pid;
    await session.goTo(at(0));
    session.addCatchpoint({ what: 'fork' });
    session.addCatchpoint({ what: 'exec' });
    expect(await session.continue()).toMatchObject({ kind: 'catchpoint', number: 3, event: { kind: 'fork', pid: child } });
    expect(session.thread?.pid).not.toBe(child);
    const exec = await session.continue();
    expect(exec).toMatchObject({ kind: 'catchpoint', number: 4, event: { kind: 'exec' } });
    expect(session.thread?.pid).toBe(child);
    expect(await session.continue()).toMatchObject({ kind: 'breakpoint', numbers: [1] });
    expect(await session.continue()).toMatchObject({ kind: 'end' });
  });

  it('throw and catch', async () => {
    const session = await debug(compile('throwing.cc', ['-O0', '-g']));
    session.addCatchpoint({ what: 'throw' });
    session.addCatchpoint({ what: 'catch' });
    expect(await session.continue('backward')).toMatchObject({ kind: 'catchpoint', event: { kind: 'catch' } });
    expect(shownStack(session)).toContain('attempt throwing.cc:34');
    expect(await session.continue('backward')).toMatchObject({ kind: 'catchpoint', event: { kind: 'throw' } });
    expect(shownStack(session)).toEqual(['__cxa_throw', 'check throwing.cc:27', 'attempt throwing.cc:33', 'main throwing.cc:46']);
  });
});

describe('damaged stacks', () => {
  // The program ends by an instruction that traps: a debugger opens right before that.
  it.each(process.env['CULPRIT_LONG'] === undefined ? ['1'] : ['1', '2', '3'])('are unwound as far as gdb does it: %s', async (how) => {
    const path = compile('smashed.c', ['-O0', '-g']);
    const [run] = gdbSession(path, ['run'], [how]);
    const session = await debug(path, { args: [how] });
    expect(shownStack(session)).toEqual(run?.frames);
  });
});

describe('a program that is too large to be recorded whole', () => {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-large-'));
  const path = join(directory, 'large');
  afterAll(() => rmSync(directory, { recursive: true }));

  it('is read from this machine, if it is still the same there', async () => {
    copyFileSync(compile('calls.c', ['-O0', '-g']), path);
    truncateSync(path, 65 * 1024 * 1024);
    const session = await debug(path, { evaluator: new ValueEvaluator() });
    session.addBreakpoint('calls.c:18');
    expect(await session.continue('backward')).toMatchObject({ kind: 'breakpoint', numbers: [1] });
    expect(shownStack(session)).toEqual(['fact calls.c:18', 'fact calls.c:19', 'fact calls.c:19', 'fact calls.c:19', 'main calls.c:26']);
    expect(session.evaluator.evaluate('n', session.program()!, session.frame).text).toBe('1');
  });

  it('is debugged without its symbols, if it is not', async () => {
    const session = await debug(path, { files: { ...NEAR_FILES, read: (wanted) => (wanted === path ? new Uint8Array(100) : NEAR_FILES.read(wanted)) } });
    expect(() => session.addBreakpoint('calls.c:18')).toThrow(UserError);
    expect(await session.stepInstruction({ direction: 'backward', count: 3 })).toMatchObject({ kind: 'step' });
    expect(shownStack(session)[0]).toContain('exit');
  });
});
