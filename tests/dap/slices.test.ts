/** Slices, alterations and checkpoints through the debug protocol. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, Editor, lineOf, sourceOf } from './editor.js';
import { FakeEditor } from './fakeVscode.js';

interface Edge { readonly kind: string; readonly due?: string; readonly line: number; readonly time: number }
interface Slice { readonly id: number; readonly members: readonly { readonly source: { readonly path: string }; readonly line: number; readonly count: number; readonly edges: readonly Edge[] }[]; readonly instances: number; readonly instructions: number }
interface List { readonly alterations: readonly { readonly id: number; readonly on: boolean; readonly text: string }[]; readonly branch?: number }

const source = { path: sourceOf('choices.c') };
const line = (mark: string): number => lineOf('choices.c', `MARK: ${mark}`);

describe('slices and alterations', () => {
  let editor: Editor;
  beforeAll(async () => {
    editor = await Editor.start();
    await editor.begin('launch', { program: compile('choices.c', ['-O0', '-g', '-static']) });
  }, 60_000);
  afterAll(() => editor.close(), 30_000);

  /** What the program prints in what is debugged now. */
  const printed = async (): Promise<string> => {
    await editor.go('culprit/goto', { time: 'end' });
    return (await editor.ask<{ result: string }>('evaluate', { expression: 'total', context: 'repl' })).result;
  };
  const linesOf = ({ members }: Slice): number[] => members.map((member) => member.line);

  it('a slice has its lines with counts, and edges to what they depend on', async () => {
    const slice = await editor.ask<Slice>('culprit/slice', { source, line: line('print'), expression: 'total' });
    expect(slice).toMatchObject({ id: 1, isForward: false });
    expect(linesOf(slice)).toEqual([line('condition') - 1, line('condition'), line('add'), line('unused') - 2, line('unused') - 1]);
    expect(slice.members.every(({ source: { path } }) => path === source.path)).toBe(true);
    const add = slice.members.find((member) => member.line === line('add'));
    expect(add).toMatchObject({ count: 2, edges: expect.arrayContaining([expect.objectContaining({ kind: 'control', line: line('condition') }), expect.objectContaining({ kind: 'data', due: 'n' })]) });
    expect(slice.instances).toBeLessThan(slice.instructions);
    const pruned = await editor.ask<Slice>('culprit/prune', { id: 1, things: ['add'] });
    expect(pruned.id).toBe(2);
    expect(linesOf(pruned).every((one) => linesOf(slice).includes(one))).toBe(true);
    expect(await editor.ask('culprit/slices')).toMatchObject({ slices: [{ id: 1, lines: 5 }, { id: 2 }] });
    // The console has the same slices.
    expect((await editor.ask<{ result: string }>('evaluate', { expression: '-exec info slices', context: 'repl' })).result).toMatch(/^1 {4}5 /m);
    await editor.ask('culprit/deleteSlice', { id: 2 });
    expect(await editor.refused('culprit/showSlice', { id: 2 })).toContain('there is no slice 2');
    expect(linesOf(await editor.ask<Slice>('culprit/showSlice', { id: 1 }))).toEqual(linesOf(slice));
    expect(await editor.refused('culprit/slice', { source, line: 1 })).toMatch(/^[^\n]+$/);
  });

  it('forward, and from instance to instance', async () => {
    const forward = await editor.ask<Slice>('culprit/slice', { source, line: line('condition'), instance: 4, direction: 'forward' });
    expect(forward).toMatchObject({ isForward: true });
    expect(linesOf(forward)).toEqual([line('condition'), line('add'), line('print')]);
    expect(await editor.go('culprit/stepInSlice', { id: 1, direction: 'backward' })).toMatchObject({ reason: 'goto' });
    expect(await editor.place()).toBe(`add:${line('add')}`);
    const { dependences } = await editor.ask<{ dependences: readonly Edge[] }>('culprit/dependences');
    const control = dependences.find(({ kind }) => kind === 'control');
    expect(control).toMatchObject({ line: line('condition'), instance: 5 });
    await editor.go('culprit/goto', { time: control?.time });
    expect(await editor.place()).toBe(`add:${line('condition')}`);
    expect(await editor.ask('culprit/breakOnSlice', { id: 1 })).toMatchObject({ breakpoint: expect.any(Number) });
    expect(await editor.go('continue')).toMatchObject({ reason: 'breakpoint' });
    expect(await editor.place()).toBe(`add:${line('add')}`);
    await editor.ask('evaluate', { expression: '-exec delete', context: 'repl' });
  });

  it('a condition goes the other way, a statement is left out, and the list is edited', async () => {
    expect(await printed()).toBe('9');
    const wait = editor.stop();
    const list = await editor.ask<List>('culprit/alter', { what: 'switch', source, line: line('condition'), which: 1 });
    await wait;
    expect(list.alterations).toMatchObject([{ id: 1, on: true }]);
    expect(list.alterations[0]?.text).toMatch(/^switch .*choices\.c:\d+#1$/);
    expect(await printed()).toBe('10');
    await editor.go('culprit/alter', { what: 'suppress', source, line: line('add'), which: 'all' });
    expect(await printed()).toBe('0');
    expect(await editor.ask<{ text: string }>('culprit/compare')).toMatchObject({ names: ['the recording', 'the branch'], comparison: { output: [{ stream: 'stdout', lines: ['9', '0'] }] } });
    expect((await editor.ask<{ text: string }>('culprit/compare', { a: '1' })).text).toMatch(/- 9\n {2}\+ 10/);
    await editor.go('culprit/alteration', { id: 2, action: 'off' });
    expect(await printed()).toBe('10');
    await editor.go('culprit/alteration', { id: 1, action: 'delete' });
    expect(await editor.ask<List>('culprit/alterations')).toEqual({ alterations: [{ id: 2, on: false, text: expect.stringContaining('suppress') }] });
    expect(await printed()).toBe('9');
    expect(await editor.refused('culprit/alteration', { id: 9, action: 'on' })).toContain('there is no alteration 9');
    expect(await editor.refused('culprit/alter', { what: 'switch', source, line: line('add') })).toContain('no condition');
  });

  it('what the failure needed is tried in branches, and can be altered', async () => {
    const { critical, tried, text } = await editor.ask<{ critical: readonly string[]; tried: readonly { readonly line: number; readonly verdict: string; readonly instance: number }[]; text: string }>('culprit/probe', { failure: 'output 9' });
    expect(critical).toContain(`switch choices.c:${line('condition')}#5`);
    expect(tried).toContainEqual(expect.objectContaining({ what: 'switch', file: source.path, line: line('condition'), instance: 5, verdict: 'gone' }));
    expect(text).toContain('These make the failure go away');
    expect(await editor.refused('culprit/probe', { failure: 'nonsense' })).toContain('Usage: probe');
    expect(await editor.refused('culprit/probe')).toMatch(/^[^\n]+$/);
  });

  it('the extension marks what the adapter finds, and alters it', async () => {
    const fake = new FakeEditor((request, args) => editor.ask(request, args as Record<string, unknown>));
    const shown = fake.open(source.path, readFileSync(source.path, 'utf8').split('\n'));
    await fake.run('culprit.sliceFromHere', { lineNumber: line('print'), uri: { fsPath: source.path } });
    expect(fake.errors).toEqual([]);
    expect(shown.marked).toContainEqual([line('add'), '2 times']);
    expect(shown.marked.map(([marked]) => marked)).not.toContain(line('unused'));
    expect(fake.hover(source.path, line('add'))).toMatch(/^- control from \[choices\\\.c:9\]/m);
    shown.selection.active.line = line('condition') - 1;
    fake.answers.push('One of its times…', '2');
    await Promise.all([editor.stop(), fake.run('culprit.switchCondition')]);
    // Distances are good in branches, too.
    const inBranch = await editor.ask<{ distance: number; instructions: number }>('culprit/slice', { source, line: line('add'), instance: 1 });
    expect(inBranch.distance).toBeGreaterThan(0);
    expect(inBranch.distance).toBeLessThanOrEqual(inBranch.instructions);
    expect(await printed()).toBe('11');
    await fake.run('culprit.compare');
    expect(fake.documents.join('')).toMatch(/- 9\n {2}\+ 11/);
    shown.selection.active.line = 0;
    fake.answers.push('Every time');
    await fake.run('culprit.suppressStatement');
    expect(fake.errors).toHaveLength(1);
    await editor.go('culprit/dropBranch');
  });

  it('checkpoints, and back to them', async () => {
    expect(await editor.ask('culprit/checkpoint', { name: 'here' })).toMatchObject({ id: 1, name: 'here' });
    await editor.go('culprit/goto', { time: 'start' });
    expect(await editor.go('culprit/rollback', { id: 1 })).toMatchObject({ reason: 'goto' });
    expect(await editor.ask('culprit/checkpoints')).toMatchObject({ checkpoints: [{ id: 1, name: 'here' }] });
    await editor.ask('culprit/deleteCheckpoint', { id: 1 });
    expect(await editor.refused('culprit/rollback', { id: 1 })).toContain('no checkpoint 1');
  });
});
