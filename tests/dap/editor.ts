/**
 * An editor for tests: the protocol's own test client on a real `culprit dap`, with what tests do all the time in one
 * call.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { encodeMessage } from '../../src/dap/wire.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/dap/', import.meta.url));
export const CULPRIT = fileURLToPath(new URL('../../bin/culprit', import.meta.url));
/** The machine may be busy. */
const PATIENCE = 55_000;

export type StoppedBody = DebugProtocol.StoppedEvent['body'];

/** Where a test program's source is, and its line with `text`. */
export function sourceOf(name: string): string {
  return SOURCES + name;
}

export function lineOf(name: string, text: string): number {
  const line = readFileSync(sourceOf(name), 'utf8').split('\n').findIndex((one) => one.includes(text));
  if (line < 0) throw new Error(`${name} has no line with ${text}`);
  return line + 1;
}

/** The path of the program. */
export function compile(source: string, flags: readonly string[] = ['-O0', '-g']): string {
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(sourceOf(source))).digest('hex').slice(0, 16);
  const path = `${BUILD_FOLDER}${source}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    const temporary = `${path}.${process.pid}`;
    execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', ...flags, '-o', temporary, sourceOf(source), '-pthread']);
    renameSync(temporary, path);
  }
  return path;
}

/** The test client, which passes over requests of adapters: this one answers them. */
class AnsweringClient extends DebugClient {
  /** What is asked for a terminal runs this way. */
  inTerminal: (args: DebugProtocol.RunInTerminalRequestArguments) => void = () => {
    throw new Error('no terminals today');
  };

  constructor() {
    super(CULPRIT, 'dap', 'culprit', undefined, true);
    const inside = this as unknown as { dispatch(text: string): void; outputStream: NodeJS.WritableStream };
    const dispatch = inside.dispatch.bind(this);
    inside.dispatch = (text) => {
      const message = JSON.parse(text) as DebugProtocol.Request;
      if (message.type !== 'request') dispatch(text);
      else inside.outputStream.write(Buffer.from(encodeMessage(this.answerTo(message))));
    };
  }

  private answerTo({ seq, command, arguments: args }: DebugProtocol.Request): DebugProtocol.Response {
    const answer = { seq: 0, type: 'response', request_seq: seq, command };
    try {
      this.inTerminal(args as DebugProtocol.RunInTerminalRequestArguments);
      return { ...answer, success: true, body: {} };
    } catch (error) {
      return { ...answer, success: false, message: (error as Error).message };
    }
  }
}

export class Editor {
  readonly client = new AnsweringClient();
  readonly output: { readonly category: string; readonly text: string }[] = [];
  readonly events: DebugProtocol.Event[] = [];
  capabilities: DebugProtocol.Capabilities = {};
  thread = 0;

  static async start(port?: number): Promise<Editor> {
    const editor = new Editor();
    await editor.client.start(port);
    editor.client.defaultTimeout = PATIENCE;
    editor.client.on('output', ({ body }: DebugProtocol.OutputEvent) => void editor.output.push({ category: body.category ?? 'console', text: body.output }));
    for (const name of ['progressStart', 'progressUpdate', 'progressEnd', 'breakpoint', 'terminated', 'invalidated', 'memory', 'process']) {
      editor.client.on(name, (event: DebugProtocol.Event) => void editor.events.push(event));
    }
    const { body } = await editor.client.initializeRequest({
      clientID: 'vscode', clientName: 'Visual Studio Code', adapterID: 'culprit', locale: 'en', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path',
      supportsVariableType: true, supportsVariablePaging: true, supportsProgressReporting: true, supportsInvalidatedEvent: true, supportsMemoryEvent: true,
      supportsMemoryReferences: true, supportsRunInTerminalRequest: true, supportsArgsCanBeInterpretedByShell: true, supportsStartDebuggingRequest: true, supportsANSIStyling: true,
    });
    editor.capabilities = body ?? {};
    return editor;
  }

  /** Records or opens, settles, and waits until the program stands. */
  async begin(how: 'launch' | 'attach', args: Record<string, unknown>, configure: () => Promise<unknown> = async () => undefined): Promise<StoppedBody> {
    const ready = this.client.waitForEvent('initialized', PATIENCE);
    const answered = this.client.send(how, args);
    await Promise.race([ready, answered.then(() => ready)]);
    await configure();
    const [stop] = await Promise.all([this.stop(), this.client.configurationDoneRequest(), answered]);
    return stop;
  }

  async stop(): Promise<StoppedBody> {
    const { body } = (await this.client.waitForEvent('stopped', PATIENCE)) as DebugProtocol.StoppedEvent;
    this.thread = body.threadId ?? this.thread;
    return body;
  }

  /** Moves the program, and waits until it stands again. */
  async go(command: string, args: Record<string, unknown> = {}): Promise<StoppedBody> {
    const [stop] = await Promise.all([this.stop(), this.client.send(command, { threadId: this.thread, ...args })]);
    return stop;
  }

  /** Any request: the body of its answer. */
  async ask<T>(command: string, args?: Record<string, unknown>): Promise<T> {
    return (await this.client.send(command, args)).body as T;
  }

  /** The message of a request that has to fail. */
  async refused(command: string, args?: Record<string, unknown>): Promise<string> {
    return this.client.send(command, args).then(() => 'it was not refused', (error: Error) => error.message);
  }

  async frames(): Promise<DebugProtocol.StackFrame[]> {
    return (await this.ask<{ stackFrames: DebugProtocol.StackFrame[] }>('stackTrace', { threadId: this.thread })).stackFrames;
  }

  /** The innermost: "function:line". */
  async place(): Promise<string> {
    const [frame] = await this.frames();
    return `${frame?.name}:${frame?.line}`;
  }

  async breakAt(source: string, ...points: (number | DebugProtocol.SourceBreakpoint)[]): Promise<DebugProtocol.Breakpoint[]> {
    const breakpoints = points.map((point) => (typeof point === 'number' ? { line: point } : point));
    return (await this.ask<{ breakpoints: DebugProtocol.Breakpoint[] }>('setBreakpoints', { source: { path: sourceOf(source) }, breakpoints })).breakpoints;
  }

  /** Until an event of that name has come. */
  async heard(name: string): Promise<DebugProtocol.Event> {
    const known = this.events.find(({ event }) => event === name);
    return known ?? this.client.waitForEvent(name, PATIENCE);
  }

  said(category: string): string {
    return this.output.filter((one) => one.category === category).map(({ text }) => text).join('');
  }

  async close(): Promise<void> {
    await this.client.stop().catch(() => undefined);
  }
}
