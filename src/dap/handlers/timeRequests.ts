/**
 * Going to a place in time. `goto` of the protocol: to when a line runs. Requests of our own, for the extension:
 * `culprit/…`.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../../base/errors.js';
import { guestAddr } from '../../base/types.js';
import { at, type Position } from '../../replay/log/position.js';
import type { Condition } from '../../replay/timeline/conditions.js';
import type { Adapter } from '../adapter.js';
import type { Body, Handler, Handlers, RequestContext } from '../handler.js';
import { namedValue } from '../namedValue.js';
import { linesIn } from './breakpointRequests.js';

/** The line's last time before now, its next one, and its first. */
const gotoTargets: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.GotoTargetsResponse>> => {
  const path = args.object('source').string('path');
  const line = adapter.client.fromLine(args.integer('line'));
  const places = linesIn(adapter, path, line);
  const addresses = places.map(({ address }) => guestAddr(Number(address)));
  const condition: Condition = { kind: 'address', addresses };
  const shown = adapter.client.line(places[0]?.line ?? line);
  const found = await request.doing('Looking when the line ran', (work) => whenHit(adapter, condition, work));
  return { targets: found.map(({ label, position }) => ({ id: adapter.targets.add(position), label: `${label} (time ${position.time})`, line: shown })) };
};

interface Target {
  readonly label: string;
  readonly position: Position;
}

async function whenHit(adapter: Adapter, condition: Condition, work: Parameters<Parameters<RequestContext['doing']>[1]>[0]): Promise<Target[]> {
  const { execution } = adapter.debug;
  const here = execution.position;
  const targets: Target[] = [];
  const next = await execution.forward([condition], work);
  if (next !== undefined) targets.push({ label: 'the next time', position: next.position });
  await execution.seek(here, work);
  const last = await execution.backward([condition], work);
  if (last !== undefined) targets.push({ label: 'the last time', position: last.position });
  await execution.seek(here, work);
  return targets;
}

const goTo: Handler = (adapter, args, request) => {
  const position = adapter.targets.get(args.integer('targetId'));
  moveTo(adapter, request, position);
};

function moveTo(adapter: Adapter, request: RequestContext, position: Position): void {
  const { debug } = adapter;
  request.afterwards(() => adapter.motion.start({ title: `Going to time ${position.time}`, request: request.seq, move: (work) => debug.goTo(position, work) }));
}

/** Where we are in time. Of a branch the end is known only when it has been run to it (`hasEnd`). */
const when: Handler = (adapter) => {
  const { debug } = adapter;
  return { time: debug.position.time, endTime: debug.execution.endTime, ...(debug.branch === undefined ? {} : { branch: debug.branch.start.time, hasEnd: debug.branch.end !== undefined }) };
};

/** To a time: a number, or one with + or - before it, or "start" or "end". */
const goToTime: Handler = (adapter, args, request) => {
  const { debug } = adapter;
  const written = typeof args.value('time') === 'number' ? String(args.integer('time')) : args.string('time').replace(/[,_\s]/g, '');
  if (written === 'end') return request.afterwards(() => adapter.motion.start({ title: 'Going to the end', request: request.seq, move: (work) => debug.goToEnd(work) }));
  const match = /^(start|([+-]?)(\d{1,15}))$/.exec(written);
  if (match === null) throw new UserError(`not a time: "${written.slice(0, 40)}"; write a number of instructions, "start" or "end"`);
  const number = match[1] === 'start' ? 0 : Number(match[3]);
  const time = match[2] === '+' ? debug.position.time + number : match[2] === '-' ? debug.position.time - number : number;
  const { branch, execution: { endTime } } = debug;
  // How far a branch goes is found out on the way.
  const isOpen = branch !== undefined && branch.end === undefined;
  if (time < 0 || (time > endTime && !isOpen)) throw new UserError(`no such time: ${time}; the ${branch === undefined ? 'recording' : 'branch'} ends at ${endTime}`);
  moveTo(adapter, request, at(time));
};

/**
 * To the last change of a variable that the client names, or of an expression. If there was none, it stays where it is.
 */
const lastChange: Handler = (adapter, args, request) => {
  const { expression, at } = namedValue(adapter, args, 'expression');
  if (at !== undefined) adapter.select(at);
  const { debug } = adapter;
  const origin = debug.position;
  request.afterwards(() => adapter.motion.start({
    title: `Looking for the last change of ${expression}`, request: request.seq,
    move: async (work) => {
      const stop = await debug.lastChange(expression, work);
      if (stop.kind !== 'start' && stop.kind !== 'scope') return stop;
      adapter.say(`${expression} was not changed before.`);
      return debug.goTo(origin, work);
    },
  }));
  return { expression };
};

/** Back to the recording, where the branch began. */
const dropBranch: Handler = (adapter, _args, request) => {
  const { debug } = adapter;
  const stop = debug.dropBranch();
  request.afterwards(() => adapter.stopped(stop));
};

export const timeRequests: Handlers = {
  gotoTargets, goto: goTo, 'culprit/when': when, 'culprit/goto': goToTime, 'culprit/lastChange': lastChange, 'culprit/dropBranch': dropBranch,
};
