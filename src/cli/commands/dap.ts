/**
 * `culprit dap`: the debug adapter, for one client through stdin and stdout, or for any number of them on a port.
 * Whatever runs on this machine can connect to a port, and web pages make browsers do it: there a client has to know a
 * token, and one that does not has little time and room.
 */
import { bytePath, textOfBytePath } from '../../base/bytePath.js';
import net from 'node:net';
import type { Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { UserError } from '../../base/errors.js';
import type { TokenCheck } from '../../dap/door.js';
import type { DapHost, DebuggedProgram } from '../../dap/host.js';
import { DapSession } from '../../dap/session.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import type { Work } from '../../replay/timeline/work.js';
import { ValueLanguage } from '../../terminal/valueLanguage.js';
import { type Farewell, recordForAdapter, recordInTerminal } from '../serving/dapRecorder.js';
import { forgetToken, takeToken } from '../stores/dapToken.js';
import { blameMeans } from '../opening/blameMeans.js';
import { findingsMeans } from '../opening/findingsMeans.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { endBySignals } from '../running/endBySignals.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import { complain } from '../output/report.js';
import { VERSION } from '../stores/version.js';

export interface DapOptions {
  readonly port?: number;
}

const LOOPBACK = '127.0.0.1';
const LOOK_MILLISECONDS = 100;
/** Bytes that a client may leave unread: one that reads nothing is as good as gone. */
const MOST_UNREAD = 1 << 28;
/** Milliseconds in which a client has to show the token, and how many may be about to do so. */
const STRANGER_MILLISECONDS = 60_000;
const MOST_STRANGERS = 32;

export async function dapCommand({ port }: DapOptions): Promise<number> {
  endBySignals('SIGINT', 'SIGTERM', 'SIGHUP');
  if (port === undefined) {
    forgetToken();
    await serveStreams(process.stdin, process.stdout);
  } else await servePort(port);
  // Threads and programs that are being recorded must not keep us.
  process.exit(0);
}

/** Until the session ends. */
async function serveStreams(input: NodeJS.ReadableStream, output: Writable, isToken?: TokenCheck): Promise<void> {
  const farewells: (() => void)[] = [];
  let settled = Promise.resolve();
  await new Promise<void>((resolve) => {
    const session = new DapSession(hostOf((action) => void farewells.push(action)), {
      write: (bytes) => {
        output.write(bytes);
        if (output.writableLength > MOST_UNREAD) over();
      },
      ended: () => {
        settled = session.settled;
        output.end(resolve);
      },
    }, isToken);
    const over = (): void => {
      session.end();
      settled = session.settled;
      void session.programLeft.then(resolve);
    };
    input.on('data', (bytes: Buffer) => session.push(bytes));
    for (const event of ['end', 'close', 'error']) input.on(event, over);
    for (const event of ['close', 'error']) output.on(event, over);
  });
  // What it recorded goes with it, once its readers have closed it.
  void settled.then(() => farewells.forEach((farewell) => farewell()));
}

/** Until we are killed. */
async function servePort(port: number): Promise<void> {
  const token = takeToken();
  const strangers = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    // The oldest: who knows the token says it at once.
    const [oldest] = strangers;
    if (strangers.size >= MOST_STRANGERS) oldest?.destroy();
    strangers.add(socket);
    const patience = globalThis.setTimeout(() => socket.destroy(), STRANGER_MILLISECONDS);
    const known = (): void => {
      strangers.delete(socket);
      clearTimeout(patience);
    };
    const isToken = (said: string): boolean => {
      const isIt = token.isIt(said);
      if (isIt) known();
      return isIt;
    };
    socket.setNoDelay(true);
    socket.on('close', known);
    void serveStreams(socket, socket, isToken).then(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error) => reject(new UserError(`cannot listen on ${LOOPBACK}:${port}: ${error.message}`)));
    server.on('listening', () => complain(`culprit: debug adapter on ${LOOPBACK}:${(server.address() as net.AddressInfo).port}; in launch or attach: ${token.remark}`));
    server.on('close', () => resolve());
    server.listen(port, LOOPBACK);
  });
}

function hostOf(atEnd: Farewell): DapHost {
  return {
    version: VERSION,
    files: NODE_FILES,
    record: (request, output) => recordForAdapter(request, output, atEnd),
    recordInTerminal: (request, open) => recordInTerminal(request, open, atEnd),
    open: (path, work) => openProgram(path, work, atEnd),
    breathe: () => setImmediate(),
    pause: () => setTimeout(LOOK_MILLISECONDS),
    now: () => performance.now(),
  };
}

async function openProgram(path: string, work: Work, atEnd: Farewell): Promise<DebuggedProgram> {
  // The debugger needs the evaluator, and the language of its console needs the debugger.
  const console: { language?: ValueLanguage } = {};
  const evaluator = new ValueEvaluator(undefined, () => console.language?.settings);
  const { debug, recording, close } = await openedDebugger(path, work, {}, evaluator);
  atEnd(close);
  console.language = new ValueLanguage(evaluator, debug);
  const { header, lost } = recording;
  const remarks = lost === undefined ? [] : [`The recording is not whole: ${lost}. The program may have gone on after that.`];
  return { debug, language: console.language, name: textOf(header.program), args: header.args.map(textOf), remarks, blameMeans: blameMeans(recording, debug), findingsOf: findingsMeans(recording) };
}

function textOf(word: string): string {
  return textOfBytePath(bytePath(word));
}
