import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeMessage } from '../../src/dap/wire.js';
import { startServer } from '../ports/servers.js';
import { compile, CULPRIT, Editor, lineOf } from './editor.js';

const LONG = process.env['CULPRIT_LONG'] !== undefined;

/**
 * What takes long is given up when the client says so, of a movement or of a request, and the program stands where it
 * stood.
 */
async function cancelled(editor: Editor, time: number): Promise<void> {
  const progress = (): Promise<DebugProtocol.ProgressStartEvent> => editor.client.waitForEvent('progressStart', 50_000) as Promise<DebugProtocol.ProgressStartEvent>;
  const [started, stopped] = [progress(), editor.stop()];
  await editor.ask('reverseContinue', { threadId: editor.thread });
  await editor.ask('cancel', { progressId: (await started).body.progressId });
  expect(await stopped).toMatchObject({ reason: 'pause' });
  const [shown, answer] = [progress(), editor.ask<{ result: string }>('evaluate', { expression: '-exec reverse-continue', context: 'repl' })];
  await editor.ask('cancel', { requestId: (await shown).body.requestId });
  expect((await answer).result).toBe('Continuing.\nQuit');
  expect(await editor.ask('culprit/when')).toMatchObject({ time });
}

describe('a session from beginning to end', () => {
  let editor: Editor | undefined;
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'culprit-dap-'))));
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(async () => {
    await editor?.close();
    editor = undefined;
  }, 30_000);

  it('says what it can do', async () => {
    editor = await Editor.start();
    const { exceptionBreakpointFilters = [], ...rest } = editor.capabilities;
    expect(Object.keys(rest).filter((name) => name.startsWith('support')).length).toBeGreaterThan(25);
    expect(exceptionBreakpointFilters.filter((filter) => filter.default === true).map(({ filter }) => filter)).toContain('SIGSEGV');
    expect(await editor.refused('threads')).toBe('it was not refused');
    for (const command of ['continue', 'stackTrace', 'evaluate', 'modules', 'disassemble']) {
      expect(await editor.refused(command, { threadId: 1, expression: '1', source: { path: '/x.c' }, memoryReference: '0x0', instructionCount: 1 })).toBe('nothing is being debugged yet');
    }
    expect(await editor.refused('launch', {})).toBe('launch: "program" has to be a string');
    expect(await editor.refused('launch', { program: '/no/such/program' })).toContain('/no/such/program');
    expect(await editor.refused('launch', { program: 'true', cwd: '/no/such/directory' })).toContain('/no/such/directory');
    expect(await editor.refused('attach', { recording: '/no/such/file' })).toContain('/no/such/file');
    writeFileSync(join(folder, 'bad.culprit'), 'this is no recording');
    expect(await editor.refused('attach', { recording: join(folder, 'bad.culprit') })).toContain('bad.culprit');
    expect(await editor.refused('no/such/request')).toBe('unknown request: no/such/request');
    expect(await editor.refused('launch', { program: 'cat', stdin: '/no/such/input' })).toContain('"stdin": /no/such/input cannot be read');
    writeFileSync(join(folder, 'input.txt'), 'what is read\n');
    await editor.begin('launch', { program: 'cat', cwd: folder, stdin: 'input.txt' });
    expect(editor.said('stdout')).toBe('what is read\n');
  });

  it('records with arguments, environment and directory, to a file that stays; a crash is an exception', async () => {
    editor = await Editor.start();
    const recording = join(folder, 'kept.culprit');
    const stop = await editor.begin('launch', { program: compile('orders.c'), args: ['crash'], cwd: folder, env: { LANG: 'C', HOME: null }, recording: 'kept.culprit' });
    expect(stop).toMatchObject({ reason: 'exception', text: 'SIGSEGV: Segmentation fault' });
    expect(await editor.place()).toBe(`main:${lineOf('orders.c', '*(volatile int *) 0')}`);
    expect(await editor.ask('exceptionInfo', { threadId: editor.thread })).toMatchObject({ exceptionId: 'SIGSEGV', breakMode: 'unhandled' });
    expect(editor.said('stderr')).toContain('deep 20 of 2, hello');
    await editor.close();
    expect(existsSync(recording)).toBe(true);
    editor = await Editor.start();
    // What was there before is not taken for what was recorded now.
    expect(await editor.refused('launch', { program: '/no/such/program', recording })).toContain('/no/such/program');
    expect(await editor.begin('attach', { recording, stopOnEntry: true })).toMatchObject({ reason: 'entry' });
    expect(await editor.place()).toBe(`main:${lineOf('orders.c', 'int i = 0')}`);
    expect(await editor.go('restart')).toMatchObject({ reason: 'entry' });
    expect(await editor.refused('attach', { recording })).toBe('a program is being debugged already');
    await editor.client.terminateRequest();
    await editor.heard('terminated');
  });

  it('changes variables, registers and memory in a branch, and leaves it', async () => {
    editor = await Editor.start();
    const line = lineOf('orders.c', 'if (argc > 1)');
    await editor.begin('launch', { program: compile('orders.c'), openAt: 'start' }, () => editor?.breakAt('orders.c', line) ?? Promise.resolve());
    const frameId = (await editor.frames())[0]?.id;
    const { scopes } = await editor.ask<{ scopes: DebugProtocol.Scope[] }>('scopes', { frameId });
    const reference = scopes.find(({ name }) => name === 'Locals')?.variablesReference;
    expect(await editor.ask('setVariable', { variablesReference: reference, name: 'deep', value: '20 + 1' })).toMatchObject({ value: '21', type: 'int' });
    expect(editor.said('console')).toContain('You are in a branch now');
    await editor.heard('invalidated');
    expect(await editor.refused('variables', { variablesReference: reference })).toContain('the program has moved since');
    const value = async (expression: string): Promise<string> => (await editor?.ask<{ result: string }>('evaluate', { expression, frameId: (await editor.frames())[0]?.id, context: 'watch' }))?.result ?? '';
    expect(await value('deep')).toBe('21');
    expect(await editor.refused('evaluate', { expression: 'total = 5', frameId: (await editor.frames())[0]?.id, context: 'watch' })).toContain('changes the program');
    expect(await editor.ask('evaluate', { expression: 'total = 5', frameId: (await editor.frames())[0]?.id, context: 'repl' })).toMatchObject({ result: '5' });
    expect(await editor.ask('setExpression', { expression: 'squares[3]', value: '-1', frameId: (await editor.frames())[0]?.id })).toMatchObject({ value: '-1' });
    const { memoryReference } = await editor.ask<{ memoryReference: string }>('evaluate', { expression: '&squares[4]', context: 'watch' });
    expect(await editor.ask('writeMemory', { memoryReference, data: Buffer.from([7, 0, 0, 0]).toString('base64') })).toEqual({ bytesWritten: 4 });
    expect([await value('total'), await value('squares[3]'), await value('squares[4]')]).toEqual(['5', '-1', '7']);
    expect(await editor.ask('setExpression', { expression: '$rax', value: '0x123', frameId: (await editor.frames())[0]?.id })).toMatchObject({ value: '291' });
    // argc decides: in the branch the program crashes.
    await editor.ask('evaluate', { expression: 'argc = 2', frameId: (await editor.frames())[0]?.id, context: 'repl' });
    await editor.breakAt('orders.c');
    await editor.go('continue');
    expect(await editor.place()).toBe(`main:${lineOf('orders.c', '*(volatile int *) 0')}`);
    expect(await editor.go('culprit/dropBranch')).toMatchObject({ reason: 'goto' });
    expect([await value('deep'), await value('total'), await value('squares[3]')]).toEqual(['20', '15', '9']);
    expect(await editor.refused('writeMemory', { memoryReference: '0x0', data: 'AAAA' })).toContain('there is no memory at 0x0');
  });

  it('says of a branch how that ends, and of the recording how that did', async () => {
    editor = await Editor.start();
    const line = lineOf('orders.c', 'if (argc > 1)');
    await editor.begin('launch', { program: compile('orders.c'), args: ['crash'], openAt: 'start' }, () => editor?.breakAt('orders.c', line) ?? Promise.resolve());
    await editor.breakAt('orders.c');
    await editor.ask('evaluate', { expression: 'argc = 1', frameId: (await editor.frames())[0]?.id, context: 'repl' });
    expect(await editor.ask('culprit/when')).toMatchObject({ hasEnd: false });
    expect(await editor.go('continue')).toMatchObject({ reason: 'pause', description: 'End of the branch' });
    expect(editor.said('console')).toMatch(/This is the end of the branch: the program exited with code \d+\./);
    expect(editor.said('console')).not.toContain('SIGSEGV');
    expect(await editor.ask('exceptionInfo', { threadId: editor.thread })).toMatchObject({ exceptionId: 'none' });
    expect(await editor.ask('culprit/when')).toMatchObject({ hasEnd: true });
    await editor.go('culprit/dropBranch');
    expect(await editor.go('culprit/goto', { time: 'end' })).toMatchObject({ reason: 'exception', text: 'SIGSEGV: Segmentation fault' });
    expect(editor.said('console')).toContain('This is the end of the recording: the program was killed by SIGSEGV');
  });

  it('interrupts a search, and a program that never ends', async () => {
    editor = await Editor.start();
    const line = lineOf('long.c', 'count++');
    await editor.begin('launch', { program: compile('long.c'), openAt: 'end' });
    await editor.breakAt('long.c', { line, condition: 'count == -1' });
    const { time } = await editor.ask<{ time: number }>('culprit/when');
    const stopped = editor.stop();
    await editor.ask('reverseContinue', { threadId: editor.thread });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    // Meanwhile: threads are known, other things are not to be had, breakpoints can be changed.
    expect(await editor.refused('stackTrace', { threadId: editor.thread })).toBe('notStopped');
    expect(await editor.ask('threads')).toMatchObject({ threads: [{ id: editor.thread }] });
    expect(await editor.breakAt('long.c', { line, condition: 'count == -2' })).toMatchObject([{ verified: true }]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await editor.ask('pause', { threadId: editor.thread });
    expect(await stopped).toMatchObject({ reason: 'pause', description: 'Interrupted' });
    expect(await editor.ask('culprit/when')).toMatchObject({ time });
    const progress = editor.events.filter(({ event }) => event.startsWith('progress')).map(({ event }) => event);
    expect(progress[0]).toBe('progressStart');
    expect(progress.at(-1)).toBe('progressEnd');
    await cancelled(editor, time);
    await editor.close();

    editor = await Editor.start();
    const begun = new Promise<void>((resolve) => editor?.client.on('output', ({ body }: DebugProtocol.OutputEvent) => body.output === 'begun\n' && resolve()));
    const stop = editor.begin('launch', { program: compile('forever.c') });
    await begun;
    await editor.ask('pause', { threadId: 0 });
    expect(await stop).toMatchObject({ reason: 'exception', text: 'SIGTERM: Terminated' });
    expect(await editor.place()).toBe(`main:${lineOf('forever.c', 'count++')}`);
  });
});

describe('a client that misbehaves', () => {
  /** What the adapter says to these bytes, and how it ends. */
  function feed(bytes: Uint8Array, patience = 40_000): Promise<{ readonly said: string; readonly status: number | null }> {
    return new Promise((resolve, reject) => {
      const child = spawn(CULPRIT, ['dap'], { stdio: ['pipe', 'pipe', 'inherit'] });
      let said = '';
      const timer = setTimeout(() => reject(new Error('it hangs')), patience);
      child.stdout.on('data', (data: Buffer) => void (said += data.toString()));
      child.on('close', (status) => {
        clearTimeout(timer);
        resolve({ said, status });
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end(bytes);
    });
  }

  const request = (seq: number, command: string, args: object): Uint8Array => encodeMessage({ seq, type: 'request', command, arguments: args });

  it('by its headers is told so, and left', async () => {
    expect(await feed(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))).toMatchObject({ status: 0, said: expect.stringContaining('not a header of the debug adapter protocol') });
    if (LONG) expect(await feed(Buffer.alloc(100_000, 'x'))).toMatchObject({ status: 0 });
  });

  it.each(LONG ? ['vanishing', 'ending the adapter'] : ['vanishing'])('by %s while its program runs takes the program with it, and what was recorded', async (how) => {
    const temporary = mkdtempSync(join(tmpdir(), 'adapter-'));
    const child = spawn(CULPRIT, ['dap'], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: temporary } });
    const gone = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
    child.stdin.on('error', () => undefined);
    child.stdin.write(request(1, 'initialize', {}));
    child.stdin.write(request(2, 'launch', { program: compile('forever.c') }));
    await new Promise<void>((resolve) => child.stdout.on('data', (data: Buffer) => data.includes('begun') && resolve()));
    if (how === 'vanishing') {
      child.stdin.destroy();
      child.stdout.destroy();
    } else child.kill('SIGTERM');
    expect(await gone).toBe(how === 'vanishing' ? 0 : 'SIGTERM');
    const left = (): string[] => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(`record -o ${temporary}`));
    for (let i = 0; i < 50 && left().length > 0; i++) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(left()).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
    rmSync(temporary, { recursive: true });
  });

  it.each(LONG ? [true, false] : [false])('by leaving before its program has ended (terminateDebuggee: %s) decides what becomes of it', async (terminateDebuggee) => {
    const folder = mkdtempSync(join(tmpdir(), 'adapter-'));
    const [recording, made] = [join(folder, 'left.culprit'), join(folder, 'made')];
    const child = spawn(CULPRIT, ['dap'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const gone = new Promise((resolve) => child.on('close', resolve));
    child.stdin.write(request(1, 'initialize', {}));
    child.stdin.write(request(2, 'launch', { program: 'sh', args: ['-c', 'echo begun; sleep 1; echo > "$0"', made], recording }));
    await new Promise<void>((resolve) => child.stdout.on('data', (data: Buffer) => data.includes('begun') && resolve()));
    child.stdin.end(request(3, 'disconnect', { terminateDebuggee }));
    expect(await gone).toBe(0);
    expect(existsSync(made)).toBe(!terminateDebuggee);
    if (!terminateDebuggee) expect(execFileSync(CULPRIT, ['info', recording], { encoding: 'utf8' })).toContain('exited with status 0');
    rmSync(folder, { recursive: true });
  });

  it('is one of several on a port', async () => {
    const server = await startServer(['dap']);
    try {
      const { port, token } = server;
      const [one, other] = [await Editor.start(port), await Editor.start(port)];
      await one.begin('launch', { program: compile('orders.c'), token });
      expect(await other.refused('attach', { recording: '/no/such/file', token })).toContain('/no/such/file');
      expect(await other.refused('stackTrace', { threadId: 1 })).toBe('nothing is being debugged yet');
      expect((await one.frames()).length).toBeGreaterThan(0);
      await one.client.disconnectRequest();
      expect(await other.refused('nonsense')).toBe('unknown request: nonsense');
      await other.client.disconnectRequest();
    } finally {
      server.close();
    }
  });
});
