/**
 * Can threads wait for each other in a circle? A thread that asks for a mutex while it holds others orders them; if the
 * orders of several threads make a circle, there is a schedule in which they hang, though they may not have this time.
 * And who waits at the end?
 *
 *     culprit query bug.culprit analyses/deadlocks.ts
 */
import { lockEvents, lockRequests, type LockEvent } from './parts/locks.js';

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly request: LockEvent;
}

const held = new Map<number, Set<number>>();
const waiting = new Map<number, LockEvent>();
const edges = new Map<string, Edge>();
const requests = lockRequests().map((request) => ({ request, event: undefined as LockEvent | undefined }));
const events = lockEvents().map((event) => ({ event, request: undefined as LockEvent | undefined }));

for await (const { value: { request, event } } of requests.merge(events)) {
  const { thread, mutex, kind } = (request ?? event) as LockEvent;
  const own = held.get(thread) ?? new Set();
  held.set(thread, own);
  if (request !== undefined) {
    waiting.set(thread, request);
    for (const from of own) if (!edges.has(`${from} ${mutex} ${thread}`)) edges.set(`${from} ${mutex} ${thread}`, { from, to: mutex, request });
  } else if (kind === 'lock') {
    waiting.delete(thread);
    own.add(mutex);
  } else own.delete(mutex);
}

/** Ways from one mutex back to it, by different threads. */
function circles(start: number, way: readonly Edge[] = []): Edge[][] {
  const at = way.at(-1)?.to ?? start;
  if (way.length > 0 && at === start) return [[...way]];
  return [...edges.values()]
    .filter((edge) => edge.from === at && edge.to >= start && !way.some((before) => before.request.thread === edge.request.thread || (before.from === edge.to && edge.to !== start)))
    .flatMap((edge) => circles(start, [...way, edge]));
}

const found = [...new Set([...edges.values()].map(({ from }) => from))].flatMap((mutex) => circles(mutex));
if (found.length === 0) console.log('locks are always taken in the same order');
for (const circle of found) {
  console.log('threads can wait for each other in a circle:');
  for (const { from, to, request } of circle) console.log(`  thread ${request.thread} holds 0x${from.toString(16)} and asks for 0x${to.toString(16)} at time ${request.at.time}:\n    ${request.at.backtrace()[1] ?? request.at.source}`);
}
for (const [thread, { mutex, at }] of waiting) console.log(`thread ${thread} waits for 0x${mutex.toString(16)} at the end:\n${at.backtrace()}`);
