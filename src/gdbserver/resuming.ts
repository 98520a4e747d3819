/** Packets that let the program run: `vCont`, `bs`, `bc` and the old ones. */
import type { Arrival } from './arrival.js';
import type { Client } from './client.js';
import { parseAddress, parseHex } from './hex.js';
import type { Motion } from './motion.js';

type Action = { readonly kind: 'go' } | { readonly kind: 'step'; readonly thread: number } | { readonly kind: 'range'; readonly thread: number; readonly start: number; readonly end: number };

/** What we do of `vCont`. Signals that it carries are those that were recorded anyway. */
export const ACTIONS = 'vCont;c;C;s;S;t;r';

const GO: Action = { kind: 'go' };

/** A stop reply. */
export async function resume(client: Client, actions: string): Promise<string> {
  for (const [, pid] of actions.matchAll(/:p([0-9a-f]+)\./gi)) await client.lookAt(parseHex(pid) ?? 0);
  const action = actions.split(';').map((text) => parseAction(client, text));
  if (action.some((one) => one === undefined)) return 'E22';
  return run(client, action.find((one) => one !== undefined && one.kind !== 'go') ?? GO);
}

async function run(client: Client, action: Action): Promise<string> {
  switch (action.kind) {
    case 'go':
      return go(client, 'forward');
    case 'step':
      return step(client, action.thread, 'forward', (motion) => motion.step(action.thread));
    case 'range':
      return step(client, action.thread, 'forward', (motion) => motion.stepRange(action.thread, action.start, action.end));
  }
}

async function go(client: Client, direction: 'forward' | 'backward'): Promise<string> {
  const { stepOver } = client;
  stepOver.goes(client.debuggee, direction, client.generalThread);
  const reply = await client.move((motion) => motion[direction]());
  const { arrival, debuggee } = client;
  const register = (name: string): bigint => debuggee.state.register(arrival.thread, name) ?? 0n;
  stepOver.passes.hasStopped(arrival.kind === 'breakpoint' ? { address: Number(register('rip')), thread: arrival.thread, stack: register('rsp') } : undefined);
  return reply;
}

async function step(client: Client, thread: number, direction: 'forward' | 'backward', action: (motion: Motion) => Promise<Arrival>): Promise<string> {
  const reply = await client.move(action);
  if (client.arrival.kind === 'stepped') client.stepOver.hasStepped(thread, direction);
  return reply;
}

/** `c` and `s`, with or without a signal. */
export async function resumePlainly(client: Client, letter: string): Promise<string> {
  return run(client, letter.toLowerCase() === 's' ? { kind: 'step', thread: steppedThread(client) } : GO);
}

export async function reverse(client: Client, kind: 'bs' | 'bc'): Promise<string> {
  if (kind === 'bc') return go(client, 'backward');
  const thread = steppedThread(client);
  return step(client, thread, 'backward', (motion) => motion.stepBack(thread));
}

function steppedThread(client: Client): number {
  const { resumed, debuggee } = client;
  return resumed !== undefined && debuggee.owns(resumed) ? resumed : client.generalThread;
}

function parseAction(client: Client, text: string): Action | undefined {
  const [, letter = '', argument = '', name] = /^([cCsStr])([0-9a-f,]*)(?::([p0-9a-f.-]+))?$/i.exec(text) ?? [];
  const named = name === undefined ? 'any' : client.threadOf(name);
  if (letter === '' || letter === 't') return letter === '' ? undefined : GO;
  if (letter.toLowerCase() === 'c') return GO;
  if (named === undefined) return undefined;
  const thread = named === 'any' ? steppedThread(client) : named.id;
  if (letter.toLowerCase() === 's') return { kind: 'step', thread };
  const [start, end] = argument.split(',').map(parseAddress);
  return start === undefined || end === undefined ? undefined : { kind: 'range', thread, start, end };
}
