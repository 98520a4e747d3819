import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, Editor, lineOf } from './editor.js';
import { askGdb, normalised } from './gdb.js';

type Variables = { readonly variables: DebugProtocol.Variable[] };

/** Of one scope of the innermost frame (or another one). */
async function scopeOf(editor: Editor, name: string, level = 0): Promise<DebugProtocol.Scope> {
  const frame = (await editor.frames())[level];
  const { scopes } = await editor.ask<{ scopes: DebugProtocol.Scope[] }>('scopes', { frameId: frame?.id });
  const found = scopes.find((scope) => scope.name.startsWith(name));
  if (found === undefined) throw new Error(`no scope ${name} in ${scopes.map((scope) => scope.name).join(', ')}`);
  return found;
}

async function variablesIn(editor: Editor, variablesReference: number, page: object = {}): Promise<DebugProtocol.Variable[]> {
  return (await editor.ask<Variables>('variables', { variablesReference, ...page })).variables;
}

async function valueOf(editor: Editor, expression: string, level = 0, context = 'repl'): Promise<string> {
  const frame = (await editor.frames())[level];
  return (await editor.ask<{ result: string }>('evaluate', { expression, frameId: frame?.id, context })).result;
}

describe('values of a C program', () => {
  const line = lineOf('orders.c', 'return made;');
  let editor: Editor;
  beforeAll(async () => {
    editor = await Editor.start();
    await editor.begin('launch', { program: compile('orders.c'), openAt: 'start' }, () => editor.breakAt('orders.c', { line, condition: 'number == 3' }));
  }, 60_000);
  afterAll(() => editor.close(), 30_000);

  const EXPRESSIONS = [
    'number', 'name', 'price', '*made', 'made->name', 'made->colour', 'made->low', 'made->high', 'made->next->number', 'squares[17]', 'squares', 'greeting', 'total + 1',
    'sizeof(struct item)', 'made->price * 2', '&total', 'visit', '(char) 65', 'made == orders', '*made->next', '-number % 2', '(enum colour) 5', 'made->name[1]',
  ];

  it('are those that gdb prints', async () => {
    const answers = askGdb(compile('orders.c'), `orders.c:${line}`, EXPRESSIONS.map((expression) => `print ${expression}`), { hits: 3 });
    const ours: string[] = [];
    for (const expression of EXPRESSIONS) ours.push(`${expression}: ${normalised(await valueOf(editor, expression))}`);
    expect(ours).toEqual(EXPRESSIONS.map((expression, i) => `${expression}: ${normalised(answers[i] ?? '')}`));
  });

  it('of callers are evaluated in their frames', async () => {
    expect(await valueOf(editor, 'i', 1)).toBe('3');
    expect(await editor.refused('evaluate', { expression: 'i', frameId: (await editor.frames())[0]?.id, context: 'watch' })).toBe('No symbol "i" in current context.');
  });

  it('unfold as a tree, with expressions that mean each part', async () => {
    const locals = await variablesIn(editor, (await scopeOf(editor, 'Locals')).variablesReference);
    expect(locals.map(({ name, type }) => `${name}: ${type}`)).toEqual(['made: struct item *']);
    const members = await variablesIn(editor, locals[0]?.variablesReference ?? 0);
    expect(members.map(({ name }) => name)).toEqual(['number', 'name', 'price', 'colour', 'low', 'high', 'next']);
    for (const { evaluateName = '', value } of members) expect(await valueOf(editor, evaluateName, 0, 'watch')).toBe(value);
    const name = members[1];
    expect(name).toMatchObject({ indexedVariables: 12, type: 'char [12]', evaluateName: 'made->name' });
    expect(await variablesIn(editor, name?.variablesReference ?? 0, { filter: 'indexed', start: 1, count: 2 })).toMatchObject([{ name: '[1]', value: "104 'h'" }, { name: '[2]', value: "114 'r'" }]);
    const next = await variablesIn(editor, members[6]?.variablesReference ?? 0);
    expect(next[0]).toMatchObject({ name: 'number', value: '2', evaluateName: 'made->next->number' });
  });

  it('have arguments, globals of the file and registers beside them', async () => {
    const args = await variablesIn(editor, (await scopeOf(editor, 'Arguments')).variablesReference);
    expect(args.map(({ name, value }) => `${name} = ${normalised(value)}`)).toEqual(['number = 3', 'name = 0x… "three"', 'price = 4.5']);
    const globals = await variablesIn(editor, (await scopeOf(editor, 'Globals of orders.c')).variablesReference);
    expect(globals.map(({ name }) => name).sort()).toEqual(['greeting', 'orders', 'squares', 'total']);
    const squares = globals.find(({ name }) => name === 'squares');
    expect(squares).toMatchObject({ indexedVariables: 300 });
    expect(await variablesIn(editor, squares?.variablesReference ?? 0, { start: 298, count: 10 })).toMatchObject([{ name: '[298]', value: '88804' }, { name: '[299]', value: '89401' }]);
    const registers = await variablesIn(editor, (await scopeOf(editor, 'Registers')).variablesReference);
    const [frame] = await editor.frames();
    expect(registers.find(({ name }) => name === 'rip')?.value).toContain(frame?.instructionPointerReference);
    expect(registers.find(({ name }) => name === 'rdi')?.value).toMatch(/^0x/);
  });

  it('are shown in hexadecimal if asked for', async () => {
    const frameId = (await editor.frames())[0]?.id;
    expect(await editor.ask('evaluate', { expression: 'total', frameId, context: 'watch', format: { hex: true } })).toMatchObject({ result: '0x6', type: 'int' });
    expect(await editor.ask('evaluate', { expression: 'total', frameId, context: 'hover' })).toMatchObject({ result: '6', type: 'int' });
    expect(await editor.refused('evaluate', { expression: 'total = 1', frameId, context: 'hover' })).toContain('changes the program');
  });

  it('are completed', async () => {
    const frameId = (await editor.frames())[0]?.id;
    const labels = async (text: string): Promise<string[]> => (await editor.ask<{ targets: DebugProtocol.CompletionItem[] }>('completions', { text, column: text.length + 1, frameId })).targets.map(({ label }) => label);
    expect(await labels('made->n')).toEqual(['number', 'name', 'next']);
    expect(await labels('squares[made->pr')).toEqual(['price']);
    expect(await labels('tot')).toContain('total');
    expect(await labels('$ri')).toEqual(['$rip']);
    expect(await labels('no.such')).toEqual([]);
  });

  it('are results of functions of the program, too, which leave no trace', async () => {
    expect(await valueOf(editor, 'visit(4)')).toBe('20');
    expect(await valueOf(editor, 'visit(2) + visit(number) * 2', 0, 'watch')).toBe('30');
    expect(await valueOf(editor, 'order(9, greeting, 1.5) != 0')).toBe('1');
    expect(await valueOf(editor, 'total')).toBe('6');
    expect(await editor.ask('culprit/when')).not.toHaveProperty('branch');
    expect(await editor.refused('evaluate', { expression: 'visit(1, 2)', context: 'repl' })).toBe('Too many arguments in function call.');
  });

  it('and all else that the terminal knows can be asked for in the console', async () => {
    expect(await valueOf(editor, '-exec bt')).toMatch(/^#0 .*order \(number=3.*\n#1 .*main/);
    expect(await valueOf(editor, '-exec print i', 1)).toBe('$1 = 3');
    expect(await valueOf(editor, '`info line visit')).toContain('starts at address');
    expect(await valueOf(editor, '-exec nonsense')).toBe('Undefined command: "nonsense".  Try "help".');
    expect(await valueOf(editor, '-exec shell ls')).toBe('The debug console has no shell.');
    const { targets } = await editor.ask<{ targets: DebugProtocol.CompletionItem[] }>('completions', { text: '-exec info thr', column: 15, frameId: (await editor.frames())[0]?.id });
    expect(targets).toContainEqual({ label: 'threads', start: 11, length: 3 });
    const went = editor.stop();
    expect(await valueOf(editor, '-exec reverse-finish')).toContain('main');
    expect(await went).toMatchObject({ reason: 'step' });
    expect(await editor.place()).toBe(`main:${lineOf('orders.c', 'order(i,')}`);
    expect(await editor.go('continue')).toMatchObject({ reason: 'breakpoint' });
    const changed = editor.stop();
    await valueOf(editor, '-exec set var total = 77');
    await changed;
    expect(await valueOf(editor, 'total')).toBe('77');
    await editor.go('culprit/dropBranch');
    expect(await valueOf(editor, 'total')).toBe('6');
  });

  it.each([
    ['nothing', 'No symbol "nothing" in current context.'], ['made->', 'A syntax error in expression, near `\'.'], ['*(int *) 0', 'Cannot access memory at address 0x0'], ['1 +', 'A syntax error in expression, near `\'.'],
  ])('that make no sense are refused: %s', async (expression, message) => {
    expect(await editor.refused('evaluate', { expression, frameId: (await editor.frames())[0]?.id, context: 'repl' })).toBe(message);
  });
});

describe('values of a C++ program', () => {
  const line = lineOf('shapes.cc', 'return shape.area();');
  let editor: Editor;
  beforeAll(async () => {
    editor = await Editor.start();
    await editor.begin('launch', { program: compile('shapes.cc'), openAt: 'start' }, () => editor.breakAt('shapes.cc', line));
  }, 60_000);
  afterAll(() => editor.close(), 30_000);

  const EXPRESSIONS = ['where', 'where.x', 'shape', 'geometry::made', '&where', '(geometry::Square &) shape', 'sizeof(geometry::Square)', 'geometry::Shape::secret'];

  it('are those that gdb prints', async () => {
    const answers = askGdb(compile('shapes.cc'), `shapes.cc:${line}`, EXPRESSIONS.map((expression) => `print ${expression}`));
    const ours: string[] = [];
    for (const expression of EXPRESSIONS) ours.push(`${expression}: ${normalised(await valueOf(editor, expression))}`);
    expect(ours).toEqual(EXPRESSIONS.map((expression, i) => `${expression}: ${normalised(answers[i] ?? '')}`));
  });

  it('unfold with base classes, static members and unnamed unions', async () => {
    const locals = await variablesIn(editor, (await scopeOf(editor, 'Locals', 1)).variablesReference);
    const square = locals.find(({ name }) => name === 'square');
    const parts = await variablesIn(editor, square?.variablesReference ?? 0);
    expect(parts.map(({ name, value }) => `${name} = ${normalised(value)}`).slice(1)).toEqual(['side = 1.5', 'corner = {x = 8, y = -7}', 'whole = 65', "first = 65 'A'"]);
    expect(parts[0]).toMatchObject({ name: 'geometry::Shape', presentationHint: { kind: 'baseClass' } });
    const base = await variablesIn(editor, parts[0]?.variablesReference ?? 0);
    expect(base.find(({ name }) => name === 'name_')).toMatchObject({ value: '7', presentationHint: { visibility: 'protected' } });
    expect(base.find(({ name }) => name === 'secret')).toMatchObject({ value: '42' });
  });

  it('unfolds what the C++ library holds, not how it does it', async () => {
    const parts = async (expression: string): Promise<string[]> => {
      const frameId = (await editor.frames())[0]?.id;
      const { variablesReference } = await editor.ask<{ variablesReference: number }>('evaluate', { expression, frameId });
      const { variables } = await editor.ask<{ variables: DebugProtocol.Variable[] }>('variables', { variablesReference });
      const again = await Promise.all(variables.map(({ evaluateName }) => editor.ask<{ result: string }>('evaluate', { expression: evaluateName, frameId, context: 'watch' })));
      expect(again.map(({ result }) => result.replace(/^\(.*?\) /, ''))).toEqual(variables.map(({ value }) => value));
      return variables.map(({ name, value }) => `${name}: ${value.replace(/0x\w+/, 'ADDRESS')}`);
    };
    expect(await parts('numbers')).toEqual(['[0]: 1', '[1]: 2', '[2]: 3']);
    expect(await parts('pointer')).toEqual(['[0]: 1', '[1]: 2', '[2]: 3']);
    expect(await parts('lists')).toEqual(['["even"]: std::vector of length 1, capacity 1 = {2}', '["odd"]: std::vector of length 2, capacity 2 = {1, 3}']);
    expect(await parts('own')).toEqual(['get(): ADDRESS']);
  });

  // Here, because the session is there already.
  it('may be thrown: exceptions are stopped at', async () => {
    await editor.breakAt('shapes.cc');
    await editor.ask('setExceptionBreakpoints', { filters: ['throw', 'catch'] });
    expect(await editor.go('continue')).toMatchObject({ reason: 'exception', text: 'An exception is thrown.' });
    expect((await editor.frames()).map(({ name }) => name)).toContain('risky');
    expect(await editor.go('continue')).toMatchObject({ reason: 'exception', text: 'An exception is caught.' });
    expect(await editor.go('reverseContinue')).toMatchObject({ text: 'An exception is thrown.' });
  });
});
