/**
 * Sessions with clients that send anything: requests in any order, with arguments that are missing, of wrong types,
 * from other times. Each request has to be answered, once, with an answer or a refusal in our words, and the session
 * has to be as good as before.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { HANDLERS } from '../../src/dap/handlers.js';
import type { DapHost } from '../../src/dap/host.js';
import { DapSession } from '../../src/dap/session.js';
import { encodeMessage, MessageDecoder } from '../../src/dap/wire.js';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { ValueLanguage } from '../../src/terminal/valueLanguage.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';
import { compile, lineOf, sourceOf } from './editor.js';

const RUNS = process.env['CULPRIT_LONG'] === '1' ? 2000 : 2;
const PATIENCE = 50_000;
/** Of each test, milliseconds. */
const LIMIT = RUNS > 2 ? 3_600_000 : 600_000;

type Recorded = Awaited<ReturnType<typeof record>>;

class Client {
  readonly responses: DebugProtocol.Response[] = [];
  readonly stops: unknown[] = [];
  hasEnded = false;
  private readonly session: DapSession;
  private seq = 0;

  constructor(recorded: Recorded) {
    const decoder = new MessageDecoder({
      message: (message) => this.hear(message as DebugProtocol.ProtocolMessage),
      badMessage: (why) => expect.fail(why),
      lost: (why) => expect.fail(why),
    });
    this.session = new DapSession(hostOf(recorded), { write: (bytes) => decoder.push(bytes), ended: () => void (this.hasEnded = true) });
  }

  send(command: unknown, args: unknown): number {
    this.push(encodeMessage({ seq: ++this.seq, type: 'request', command, arguments: args }));
    return this.seq;
  }

  push(bytes: Uint8Array): void {
    this.session.push(bytes);
  }

  async answer(seq: number): Promise<DebugProtocol.Response> {
    const limit = performance.now() + PATIENCE;
    for (;;) {
      const found = this.responses.find((response) => response.request_seq === seq);
      if (found !== undefined) return found;
      if (performance.now() > limit) throw new Error(`request ${seq} is not answered`);
      await setImmediate();
    }
  }

  async ask(command: string, args: object = {}): Promise<DebugProtocol.Response> {
    return this.answer(this.send(command, args));
  }

  async stand(count: number): Promise<void> {
    const limit = performance.now() + PATIENCE;
    while (this.stops.length < count && performance.now() < limit) await setTimeout(1);
  }

  private hear(message: DebugProtocol.ProtocolMessage): void {
    if (message.type === 'response') this.responses.push(message as DebugProtocol.Response);
    else if ((message as DebugProtocol.Event).event === 'stopped') this.stops.push((message as DebugProtocol.Event).body);
  }
}

function hostOf({ options }: Recorded): DapHost {
  return {
    version: 'test', files: NEAR_FILES,
    record: () => ({ finished: Promise.resolve({ path: '', failure: 'nothing is recorded here' }), stop: () => undefined, leave: () => undefined }),
    recordInTerminal: () => ({ finished: Promise.resolve({ path: '', failure: 'nothing is recorded here' }), stop: () => undefined, leave: () => undefined }),
    open: async (_path, work) => {
      const timeline = new Timeline(options);
      const branches = new TimelineBranches(timeline, options, new NodeHost());
      const evaluator = new ValueEvaluator();
      const debug = await Debugger.open(timeline, { files: NEAR_FILES, evaluator, branches }, work);
      return { debug, language: new ValueLanguage(evaluator, debug), name: 'orders', args: [], remarks: [] };
    },
    breathe: () => setImmediate(), pause: () => setTimeout(5), now: () => performance.now(),
  };
}

/** Whatever a client may think of, the sensible among it. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 2, 3, 5, 10, -1, 1e15, 0.5, true, false, null, '', '0x0', '0x401000', '0x7fffffffe000', 'total', 'orders', '*orders', 'order', 'made->next->next', 'squares[3]',
    'total = 3', '$rip', '$rsp = 0', 'visit(3)', '-exec bt', '-exec reverse-continue', '-exec set var total = 1', '-exec delete', '-exec shell ls', '-exec tbreak main', '`x/4i $pc', '-exec nonsense', '-exec quit', 'sizeof(int', '1/0', '*(int *) 0', 'orders->no', 'main', 'end', 'start', '-50', '+50', 'instruction', 'line', 'indexed', 'write', 'readWrite', 'SIGSEGV', 'throw', 'repl', 'hover', '== 2', '% 0', 'AAAA', '%%%') },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const NAMES = [
  'threadId', 'frameId', 'variablesReference', 'name', 'expression', 'value', 'source', 'line', 'endLine', 'breakpoints', 'filters', 'filterOptions', 'granularity', 'startFrame', 'levels', 'start', 'count', 'filter',
  'memoryReference', 'offset', 'instructionOffset', 'instructionCount', 'data', 'time', 'targetId', 'text', 'column', 'context', 'format', 'requestId', 'progressId', 'dataId', 'accessType', 'asAddress', 'bytes', 'recording', 'program', 'args', 'env',
  'sourceReference', 'startModule', 'moduleCount', 'restart', 'terminateDebuggee',
];
const source = fc.constantFrom<unknown>({ path: sourceOf('orders.c') }, { path: '/no/such/file.c' }, { name: 'orders.c' }, { path: 5 });
const point = fc.record({
  line: fc.constantFrom<unknown>(lineOf('orders.c', 'total += number'), lineOf('orders.c', 'int here'), 0, -3, 1e9, 'x'), name: value, condition: fc.constantFrom<unknown>('number == 2', 'nonsense(', '', 7),
  hitCondition: fc.constantFrom<unknown>('2', '%2', 'x', ''), logMessage: fc.constantFrom<unknown>('{number}', '{', '', 3), dataId: value, instructionReference: value, accessType: value, filterId: value,
}, { requiredKeys: [] });
const anyArguments = fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 6 });
const args: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(anyArguments, source, fc.array(point, { maxLength: 3 })).map(([rest, file, breakpoints]) => ({ threadId: 1, ...rest, source: file, breakpoints })) },
  { weight: 2, arbitrary: anyArguments },
  { weight: 1, arbitrary: value },
);
const commands = [...HANDLERS.keys()].filter((name) => name !== 'disconnect');
const request = fc.tuple(fc.oneof({ weight: 20, arbitrary: fc.constantFrom<unknown>(...commands) }, { weight: 1, arbitrary: fc.constantFrom<unknown>('constructor', '__proto__', 'nothing', 5, null) }), args);

describe('a session with any client', () => {
  let recorded: Recorded;
  beforeAll(async () => {
    recorded = await record([compile('orders.c')]);
  }, 60_000);

  it('answers every request once, and goes on', async () => {
    await fc.assert(fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 14 }), fc.boolean(), async (requests, isPatient) => {
      const client = new Client(recorded);
      await client.ask('initialize', { adapterID: 'x', pathFormat: 'path' });
      expect(await client.ask('attach', { recording: 'x' })).toMatchObject({ success: true });
      await client.ask('configurationDone');
      await client.stand(1);
      await client.ask('stackTrace', { threadId: 1 });
      await client.ask('scopes', { frameId: 1 });
      const sent: number[] = [];
      for (const [command, argument] of requests) {
        const seq = client.send(command, argument);
        sent.push(seq);
        if (isPatient) await client.answer(seq);
      }
      for (const seq of sent) {
        const { message = '' } = await client.answer(seq);
        expect(message).not.toContain('internal error');
      }
      // It can still be interrupted, and asked.
      await client.ask('pause');
      for (let i = 0; ; i++) {
        const answer = await client.ask('culprit/when');
        if (answer.success) break;
        expect(answer.message).toBe('notStopped');
        expect(i).toBeLessThan(5000);
        await setTimeout(5);
      }
      expect(client.responses.length).toBe(new Set(client.responses.map((response) => response.request_seq)).size);
      expect(await client.ask('disconnect')).toMatchObject({ success: true });
      expect(client.hasEnded).toBe(true);
    }), { numRuns: RUNS });
  }, LIMIT);

  it('understands no message that has been damaged, and takes no harm', async () => {
    const good = [...encodeMessage({ seq: 1, type: 'request', command: 'initialize', arguments: {} }), ...encodeMessage({ seq: 2, type: 'request', command: 'threads' })];
    await fc.assert(fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), async (changes) => {
      const client = new Client(recorded);
      const bytes = Uint8Array.from(good);
      for (const [at, byte] of changes) bytes[at] = byte;
      client.push(bytes);
      await setImmediate();
      for (const { message = '' } of client.responses) expect(message).not.toContain('internal error');
      client.push(encodeMessage({ seq: 9, type: 'request', command: 'threads' }));
      await setImmediate();
    }), { numRuns: RUNS * 15 });
  }, LIMIT);
});
