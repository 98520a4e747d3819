import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FakeEditor, FOLDER, type Provider } from './fakeVscode.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
interface Configuration {
  readonly type: string;
  readonly request: 'launch' | 'attach';
  readonly name: string;
}

interface Debuggers {
  readonly type: string;
  readonly configurationAttributes: Record<'launch' | 'attach', { readonly required: string[]; readonly properties: Record<string, { readonly description: string }> }>;
  readonly initialConfigurations: Configuration[];
  readonly configurationSnippets: { readonly label: string; readonly body: Configuration }[];
}

const about = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8')) as {
  name: string; version: string; main: string;
  contributes: { commands: { command: string }[]; menus: Record<string, { command: string; when: string }[]>; debuggers: Debuggers[] };
};

describe('the extension for VS Code', () => {
  it('registers the commands that it announces, and starts the adapter', () => {
    const { commands, factories } = new FakeEditor();
    expect([...commands.keys()].toSorted()).toEqual(about.contributes.commands.map(({ command }) => command).toSorted());
    const factory = factories.get(about.contributes.debuggers[0]?.type ?? '');
    expect(factory?.createDebugAdapterDescriptor({ configuration: {} })).toMatchObject({ command: '/opt/culprit', args: ['dap'] });
    expect(factory?.createDebugAdapterDescriptor({ configuration: { debugServer: 4711 } })).toMatchObject({ port: 4711 });
  });

  it('gives the token to an adapter that was started on a port', async () => {
    const { providers, asked, answers } = new FakeEditor();
    answers.push('typed in by the user');
    const resolved = (configuration: object): Promise<object | undefined> => (providers[0] as Provider).resolveDebugConfiguration(undefined, configuration);
    expect(await resolved({ type: 'culprit' })).toEqual({ type: 'culprit' });
    expect(await resolved({ type: 'culprit', debugServer: 4711, token: 'written' })).toMatchObject({ token: 'written' });
    expect(asked).toEqual([]);
    expect(await resolved({ type: 'culprit', debugServer: 4711 })).toEqual({ type: 'culprit', debugServer: 4711, token: 'typed in by the user' });
    expect(asked).toMatchObject([{ prompt: 'The token that culprit dap --port 4711 printed', password: true }]);
  });

  it('contributes what fits together: menus of its commands, configurations of its attributes', () => {
    const { commands, menus, debuggers: [debug] } = about.contributes;
    const names = new Set(commands.map(({ command }) => command));
    for (const { command } of Object.values(menus).flat()) expect(names).toContain(command);
    // What needs something to be debugged is not offered otherwise.
    for (const { command, when } of Object.values(menus).flat()) expect([command, when]).toEqual([command, expect.stringMatching(/^(debugType == 'culprit'|culprit\.hasSlice|false)$/)]);
    expect(existsSync(FOLDER + about.main)).toBe(true);
    const written = [...readFileSync(`${FOLDER}README.md`, 'utf8').matchAll(/^ {4}\{\n(?: {6}.*\n)+ {4}\}/gm)].map(([text]) => JSON.parse(text) as Configuration);
    expect(written.length).toBeGreaterThan(0);
    const all = [...(debug?.initialConfigurations ?? []), ...(debug?.configurationSnippets.map(({ body }) => body) ?? []), ...written];
    for (const { type, request, name, ...rest } of all) {
      const { required, properties } = debug?.configurationAttributes[request] ?? { required: [], properties: {} };
      expect([type, typeof name]).toEqual([debug?.type, 'string']);
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(rest)));
      expect(Object.keys(rest)).toEqual(expect.arrayContaining(required));
    }
  });

  const SLICE = {
    id: 3, title: 'total at a.c:9#1', isForward: false, instances: 40, instructions: 12_000, distance: 900, criterion: [],
    members: [
      { source: { name: 'a.c', path: '/src/a.c' }, line: 2, count: 1200, first: 5, last: 80, edges: [{ kind: 'data', due: 'p->next[*]', source: { name: 'b_x.c', path: '/src/b_x.c' }, line: 7, time: 4 }, { kind: 'control', function: 'start', time: 2 }] },
      { source: { name: 'a.c', path: '/src/a.c' }, line: 3, count: 1, first: 90, last: 90, edges: [] },
      { function: 'without_lines', count: 2, first: 1, last: 2, edges: [] },
    ],
  };

  it('marks the lines of a slice with their counts, tells edges, says sizes, and clears it all', async () => {
    const editor = new FakeEditor({ 'culprit/slice': () => SLICE, 'culprit/goto': () => undefined });
    const shown = editor.open('/src/a.c', ['int a;', '  a = 1;', '  b = 2;', '}']);
    await editor.run('culprit.sliceFromHere', { lineNumber: 4, uri: { fsPath: '/src/a.c' } });
    expect(editor.requests).toEqual([['culprit/slice', { source: { path: '/src/a.c' }, line: 4 }]]);
    expect(shown.marked).toEqual([[2, '1,200 times'], [3, '']]);
    expect(editor.status).toMatchObject({ text: expect.stringContaining('Slice 3: 3 lines'), isShown: true, tooltip: expect.stringContaining('40 of 12,000 instructions, the farthest 900 back') });
    // What is of the program is no markup; links go to times.
    expect(editor.hover('/src/a.c', 2)).toBe('In slice 3 1,200 times: [first](command:culprit.goToInstance?%5B5%5D), [last](command:culprit.goToInstance?%5B80%5D)\n\n- data from [b\\_x\\.c:7](command:culprit.goToInstance?%5B4%5D) (p\\-\\>next\\[\\*\\])\n- control from [start](command:culprit.goToInstance?%5B2%5D)');
    expect(editor.hover('/src/a.c', 1)).toBeUndefined();
    expect(editor.contexts.get('culprit.hasSlice')).toBe(true);
    await editor.run('culprit.goToInstance', 4);
    expect(editor.requests.at(-1)).toEqual(['culprit/goto', { time: 4 }]);
    await editor.run('culprit.clearSlice');
    expect([shown.marked, editor.status.isShown, editor.hover('/src/a.c', 2), editor.contexts.get('culprit.hasSlice')]).toEqual([[], false, undefined, false]);
    await editor.run('culprit.nextInSlice');
    expect(editor.errors).toEqual(['Culprit: No slice is shown: make one first.']);
  });

  it('alters where the cursor is, and edits the list', async () => {
    const editor = new FakeEditor({ 'culprit/alter': () => undefined, 'culprit/alteration': () => undefined, 'culprit/alterations': () => ({ alterations: [{ id: 4, on: true, text: 'switch a.c:2#7' }] }) });
    editor.open('/src/a.c', ['int a;', '  if (a)', '}']).selection.active.line = 1;
    editor.answers.push('One of its times…', '7');
    await editor.run('culprit.switchCondition');
    editor.answers.push('Every time');
    await editor.run('culprit.suppressStatement', { lineNumber: 3, uri: { fsPath: '/src/a.c' } });
    // Who changes his mind has altered nothing.
    editor.answers.push(undefined);
    await editor.run('culprit.switchCondition');
    editor.answers.push('$(check) switch a.c:2#7', 'Switch off');
    await editor.run('culprit.alterations');
    expect(editor.requests).toEqual([
      ['culprit/alter', { what: 'switch', which: 7, source: { path: '/src/a.c' }, line: 2 }],
      ['culprit/alter', { what: 'suppress', which: 'all', source: { path: '/src/a.c' }, line: 3 }],
      ['culprit/alterations', undefined],
      ['culprit/alteration', { id: 4, action: 'off' }],
    ]);
    expect(editor.errors).toEqual([]);
  });

  it('takes arguments apart as a shell does', () => {
    const { wordsOf } = new FakeEditor().extension;
    expect(wordsOf(`a "b c" 'd\\' e\\ f "" g"h"i "\\""`)).toEqual(['a', 'b c', 'd\\', 'e f', '', 'ghi', '"']);
    expect(wordsOf('  ')).toEqual([]);
  });

  it('is packed into a file that is a zip file', () => {
    const path = execFileSync(process.execPath, ['scripts/packageVscode.mjs'], { cwd: ROOT, encoding: 'utf8' }).trim();
    expect(path).toBe(`dist/${about.name}-${about.version}.vsix`);
    const listing = execFileSync('/usr/bin/python3', ['-c', 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print("\\n".join(z.namelist()))', ROOT + path], { encoding: 'utf8' });
    expect(listing.trim().split('\n')).toEqual(['extension.vsixmanifest', '[Content_Types].xml', 'extension/package.json', 'extension/extension.js', 'extension/slices.js', 'extension/alterations.js', 'extension/README.md', 'extension/LICENSE.txt']);
  });
});
