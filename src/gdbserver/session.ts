/**
 * Answers the packets of one client. Each packet begins with a name; the table below has what answers it. What is not
 * known is answered with nothing, as the protocol demands.
 */
import { UserError } from '../base/errors.js';
import { Cancelled } from '../replay/timeline/work.js';
import { Client } from './client.js';
import type { Answering, PacketHandler, Reply } from './connection.js';
import { DOCUMENTS, readDocument } from './documents.js';
import { endText } from './endText.js';
import { FileRequests } from './fileRequests.js';
import { bytesOfHex, hexOfText, parseHex } from './hex.js';
import { changeStops, readMemory, readRegister, readRegisters, searchMemory, writeMemory, writeRegister, writeRegisters } from './memoryPackets.js';
import { callStopText } from './clientCalls.js';
import { monitor } from './monitor.js';
import { LONGEST_PACKET } from './packets.js';
import { ACTIONS, resume, resumePlainly, reverse } from './resuming.js';
import { signalInfo } from './signalInfo.js';
import { signalsNamed } from './signals.js';
import { threadName } from './threadIds.js';
import { threadLocalAddress } from './threadLocal.js';

/** What replies may have, in characters of which any may have to be quoted. */
const LONGEST_REPLY = LONGEST_PACKET / 2 - 64;
const OK: Reply = { text: 'OK' };
const UNKNOWN: Reply = { text: '' };

const SUPPORTED = [
  `PacketSize=${LONGEST_PACKET.toString(16)}`, 'QStartNoAckMode+', 'multiprocess+', 'swbreak+', 'hwbreak+', 'vContSupported+', 'ReverseStep+', 'ReverseContinue+',
  'QPassSignals+', 'QProgramSignals+', 'QThreadEvents+', 'QCatchSyscalls+', 'fork-events+', 'vfork-events+', 'exec-events+', 'ConditionalBreakpoints+', ...DOCUMENTS.map((object) => `qXfer:${object}:read+`),
].join(';');

type Answer = (session: GdbSession, rest: string, answering: Answering) => Reply | Promise<Reply>;

function text(answer: (session: GdbSession, rest: string, answering: Answering) => string | Promise<string>): Answer {
  return async (session, rest, answering) => ({ text: await answer(session, rest, answering) });
}

/** What lets the program run: who comes to an end is told what end that is, and at a call, which. */
function motion(move: (client: Client, rest: string) => Promise<string>): Answer {
  return async ({ client }, rest, answering) => {
    const reply = await move(client, rest);
    if (client.arrival.kind === 'end') answering.say(endText(client.debuggee));
    if (client.arrival.kind === 'calls') answering.say(`${callStopText(client.calls, client.arrival.number)}\n`);
    for (const remark of client.remarks) answering.say(`${remark}\n`);
    client.remarks = [];
    return { text: reply };
  };
}

/** Longer names come first. */
const ANSWERS: readonly (readonly [name: string, answer: Answer])[] = [
  ['qSupported', text(({ client }, rest) => supported(client, rest))],
  ['QStartNoAckMode', () => ({ text: 'OK', after: 'no acknowledgments' })],
  ['qXfer:', text(({ client, hasProcesses }, rest) => readDocument(rest, { debuggee: client.debuggee, threads: client.threads, processes: client.processes, hasProcesses, signalInfo: () => signalInfo(client) }, LONGEST_REPLY))],
  ['QPassSignals:', text(({ client }, rest) => passSignals(client, rest))],
  ['QCatchSyscalls:', text(({ client }, rest) => catchCalls(client, rest))],
  ['QProgramSignals:', () => OK],
  ['QThreadEvents:', () => OK],
  ['qAttached', () => ({ text: '1' })],
  ['qfThreadInfo', text((session) => threadList(session))],
  ['qsThreadInfo', () => ({ text: 'l' })],
  ['qThreadExtraInfo,', text(({ client }, rest) => threadInfo(client, rest))],
  ['qRcmd,', (session, rest, answering) => command(session, rest, answering)],
  ['qSearch:memory:', text(({ client }, rest) => searchMemory(client, rest))],
  ['qGetTLSAddr:', text(({ client }, rest) => threadLocalAddress(client, rest))],
  ['qSymbol:', () => OK],
  ['qC', text(({ client, hasProcesses }) => `QC${nameOf(client, client.generalThread, hasProcesses)}`)],
  ['vMustReplyEmpty', () => UNKNOWN],
  ['vCont?', () => ({ text: ACTIONS })],
  ['vCont;', motion(resume)],
  ['vFile:', text(({ client, files }, rest) => files.answer(rest, client.debuggee))],
  ['vKill', () => OK],
  ['vRun', text((session) => session.restart())],
  ['vAttach;', text((session, rest) => session.attach(parseHex(rest)))],
  ['bs', motion((client) => reverse(client, 'bs'))],
  ['bc', motion((client) => reverse(client, 'bc'))],
  ['?', text(({ client }) => client.stopReply())],
  ['!', (session) => session.extend()],
  ['g', text(({ client }) => readRegisters(client))],
  ['p', text(({ client }, rest) => readRegister(client, rest))],
  ['m', text(({ client }, rest) => readMemory(client, rest, LONGEST_REPLY))],
  ['G', text(({ client }, rest) => writeRegisters(client, rest))],
  ['P', text(({ client }, rest) => writeRegister(client, rest))],
  ['M', text(({ client }, rest) => writeMemory(client, rest, true))],
  ['X', text(({ client }, rest) => writeMemory(client, rest, false))],
  ['Z', text(({ client }, rest) => changeStops(client, true, rest))],
  ['z', text(({ client }, rest) => changeStops(client, false, rest))],
  ['H', text(({ client }, rest) => selectThread(client, rest))],
  ['T', text(({ client }, rest) => (typeof client.threadOf(rest) === 'object' ? 'OK' : 'E03'))],
  ['c', motion((client) => resumePlainly(client, 'c'))],
  ['C', motion((client) => resumePlainly(client, 'c'))],
  ['s', motion((client) => resumePlainly(client, 's'))],
  ['S', motion((client) => resumePlainly(client, 's'))],
  ['D', (session, rest) => session.detach(rest.startsWith(';') ? parseHex(rest.slice(1)) : undefined)],
  ['k', () => ({ after: 'close' })],
  ['R', async (session) => (await session.restart(), {})],
];

export class GdbSession implements PacketHandler {
  readonly files = new FileRequests(LONGEST_REPLY);
  isExtended = false;

  constructor(
    public client: Client,
    /** Told of what is our own fault. */
    private readonly report: (error: unknown) => void,
  ) {}

  get hasProcesses(): boolean {
    return this.client.features.multiprocess;
  }

  async handle(payload: string, answering: Answering): Promise<Reply> {
    this.client.isInterrupted = () => answering.isInterrupted();
    this.client.stepOver.heard(payload);
    const found = ANSWERS.find(([name]) => payload.startsWith(name));
    try {
      return found === undefined ? UNKNOWN : await found[1](this, payload.slice(found[0].length), answering);
    } catch (error) {
      if (!(error instanceof UserError || error instanceof Cancelled)) this.report(error);
      return { text: `E.${error instanceof Error ? error.message.replaceAll(/[^\x20-\x22\x25-\x29\x2b-\x7c~]/g, '?') : 'internal error'}` };
    }
  }

  /** The client stays when it has done with a process. */
  extend(): Reply {
    this.isExtended = true;
    return OK;
  }

  /** The client has done with a process: with its only one it goes, unless it stays for others. */
  async detach(pid: number | undefined): Promise<Reply> {
    const { client, isExtended } = this;
    const isLast = pid === undefined || (client.attached.size === 1 && client.attached.has(pid));
    if (isLast) return isExtended ? OK : { text: 'OK', after: 'close' };
    await client.detach(pid);
    return OK;
  }

  /** Another process of the recording. */
  async attach(pid: number | undefined): Promise<string> {
    const { served, features, passedSignals, caughtCalls } = this.client;
    this.client.debuggee.dropBranch();
    const client = await Client.open(served, pid);
    Object.assign(client.features, features);
    client.passedSignals = passedSignals;
    client.caughtCalls = caughtCalls;
    this.client = client;
    return client.stopReply();
  }

  /** As a newly started program: at its beginning. */
  async restart(): Promise<string> {
    await this.client.goToBegin();
    return this.client.stopReply();
  }
}

function supported(client: Client, features: string): string {
  const offered = new Set(features.replace(/^:/, '').split(';'));
  client.features.multiprocess = offered.has('multiprocess+');
  client.features.swbreak = offered.has('swbreak+');
  client.features.hwbreak = offered.has('hwbreak+');
  for (const kind of ['fork', 'vfork', 'exec'] as const) client.features[kind] = client.features.multiprocess && offered.has(`${kind}-events+`);
  return SUPPORTED;
}

function passSignals(client: Client, list: string): string {
  client.passedSignals = signalsNamed(new Set(list.split(';').flatMap((number) => parseHex(number) ?? [])));
  return 'OK';
}

/** `0`, or `1` and the numbers; all if there are none. */
function catchCalls(client: Client, request: string): string {
  const [isOn, ...numbers] = request.split(';').map(parseHex);
  if ((isOn !== 0 && isOn !== 1) || numbers.includes(undefined)) return 'E16';
  client.caughtCalls = isOn === 0 ? undefined : numbers.length === 0 ? 'all' : new Set(numbers as number[]);
  return 'OK';
}

function nameOf(client: Client, id: number, hasProcesses: boolean): string {
  const thread = client.threads.find((one) => one.id === id);
  return threadName(thread?.pid ?? client.debuggee.pid, thread?.tid ?? 0, hasProcesses);
}

function threadList({ client, hasProcesses }: GdbSession): string {
  const names = client.threads.map(({ pid, tid }) => threadName(pid, tid, hasProcesses));
  return names.length === 0 ? 'l' : `m${names.join(',')}`;
}

function threadInfo(client: Client, name: string): string {
  const thread = client.threadOf(name);
  return typeof thread === 'object' ? hexOfText(thread.name) : 'E03';
}

/** The process that is looked at is that of the thread. */
async function selectThread(client: Client, request: string): Promise<string> {
  const thread = client.threadOf(request.slice(1));
  if (thread === undefined || (thread !== 'any' && !(await client.lookAt(thread.pid)))) return 'E03';
  const id = thread === 'any' ? undefined : thread.id;
  if (request.startsWith('g')) client.general = id ?? client.general;
  else client.resumed = id;
  return 'OK';
}

async function command(session: GdbSession, hex: string, answering: Answering): Promise<Reply> {
  const bytes = bytesOfHex(hex);
  if (bytes === undefined) return { text: 'E16' };
  try {
    answering.say(`${await monitor(session.client, new TextDecoder().decode(bytes).trim())}\n`);
    return OK;
  } catch (error) {
    // gdb understands no texts in answers to this packet.
    if (!(error instanceof UserError || error instanceof Cancelled)) throw error;
    answering.say(`${error.message}\n`);
    return { text: 'E01' };
  }
}
