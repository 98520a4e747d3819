/**
 * One of the thesis's micro-benchmarks over a recording of traceLoops.c, action by action: `culprit query FILE
 * traceActions.ts FIGURE WAY DIRECTION WHAT`. Prints, as JSON, the seconds of processor time of all threads, from the
 * start of the command on (or bytes) that there were after each action. FIGURE is filter (4.9) or maps (4.10, 4.11);
 * WAY lazy, strict or map (a JavaScript Map in the place of an EditHAMT); DIRECTION after or before.
 */
import v8 from 'node:v8';
import vm from 'node:vm';
import { args, editHamt, execution, type Lazy, type Snapshot, type Trace } from 'culprit/traces';

const [figure, way, direction, what] = args;
/**
 * It is measured only so often: that takes time by itself, for memory because all garbage has to be collected first.
 */
const MOST_LOOKS = what === 'bytes' ? 128 : 512;

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

function bytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function seconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const atStart = what === 'bytes' ? bytes() : 0;
const points: [action: number, value: number][] = [];
let action = 0;

function note(isDue: boolean): void {
  if (isDue) points.push([action, what === 'bytes' ? bytes() - atStart : seconds()]);
  action++;
}

/** Makes a trace, which strict scripts compute at once. */
async function made<T>(trace: Trace<T>): Promise<Trace<T>> {
  if (way === 'strict') await trace.toArray();
  return trace;
}

/** One item after the other, until there are no more. */
async function askAll(trace: Trace<unknown>, total: number): Promise<number> {
  const every = Math.ceil(total / MOST_LOOKS);
  let count = 0;
  for (let item = direction === 'after' ? await trace.getAfter(0) : await trace.getBefore(Infinity); item !== undefined; ) {
    count++;
    note(count % every === 0 || count === 1);
    item = direction === 'after' ? await trace.getAfter(item.time) : await trace.getBefore(item.time);
  }
  return count;
}

async function filters(total: number): Promise<number> {
  let found = 0;
  const foo = execution.breakpoints('foo');
  for (const rest of [0, 1]) {
    const trace = await made(foo.filter((s) => s.readArg('x').number % 2 === rest));
    note(true);
    found += await askAll(trace, total / 2);
  }
  return found;
}

type Maps = Trace<{ find(key: number): unknown }>;

async function edited(): Promise<Maps> {
  const edits = await made(execution.breakpoints('bar').map((s) => editHamt.addKeyValue<number, Snapshot>(undefined, s.readArg('z').number, s)));
  return made(edits.scan(editHamt.concat));
}

async function copied(): Promise<Maps> {
  const add = async (before: Lazy<Map<number, Snapshot>>, s: Snapshot): Promise<Map<number, Snapshot>> => new Map(await before.force()).set(s.readArg('z').number, s);
  const maps = execution.breakpoints('bar').scan(add, new Map<number, Snapshot>());
  return maps.map((map) => ({ find: (key: number) => map.get(key) }));
}

async function lookups(total: number): Promise<number> {
  const maps = way === 'map' ? await copied() : await edited();
  const found = await made(execution.breakpoints('foo').trailingMerge(maps, async (s, map) => (await map.force())?.find(s.readArg('y').number)));
  note(true);
  return askAll(found, total);
}

const total = Number(process.env['BENCH_ITEMS']);
note(true);
const count = figure === 'filter' ? await filters(total) : await lookups(total);
console.log(JSON.stringify({ count, cost: execution.cost, points }));
