/**
 * The inner loop of the state hash, in WebAssembly: 64-bit multiplication is what makes it quick and strong.
 *
 * A page goes through four lanes of 64 bits: lane = rotl((lane ^ word) * P, 29), each step one-to-one in lane and
 * in word, so that a single change is never lost. Lanes and page number are then mixed to 128 bits, which are added to
 * the sum over all pages: the order of pages does not matter. A page of zeros leaves the lanes zero and adds nothing.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { LINEAR_MEMORY_PAGES } from '../../layout/memoryMap.js';
import type { Code } from '../../wasm/code.js';
import { ModuleBuilder } from '../../wasm/module.js';

export interface HashExports {
  reset(): void;
  /** Adds `count` pages that lie at `offset`; `number` is that of the first one. */
  add(offset: number, count: number, number: number): void;
  low(): bigint;
  high(): bigint;
}

const STEP = 0x9e3779b185ebca87n;
const LANES = 4;
/** For each half of the result: an odd factor for each lane, and one for the page number. */
const MIX: readonly (readonly bigint[])[] = [
  [0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n, 0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n, 0x9fb21c651e98df25n],
  [0xff51afd7ed558ccdn, 0xc4ceb9fe1a85ec53n, 0xbf58476d1ce4e5b9n, 0x94d049bb133111ebn, 0xd6e8feb86659fd93n],
];

export function buildHashModule(): Uint8Array<ArrayBuffer> {
  const m = new ModuleBuilder();
  m.importMemory('env', 'memory', 1, LINEAR_MEMORY_PAGES);
  const sums = [m.global('i64', true, 0n), m.global('i64', true, 0n)];
  const page = m.func('page', ['i32', 'f64'], []);
  const add = m.func('add', ['i32', 'i32', 'f64'], []);
  writePage(page, sums);
  writeAdd(add, page.index);
  const reset = m.func('reset', [], []);
  for (const sum of sums) reset.i64(0n).globalSet(sum);
  sums.forEach((sum, half) => {
    const get = m.func(half === 0 ? 'low' : 'high', [], ['i64']);
    get.globalGet(sum);
    m.exportFunc(half === 0 ? 'low' : 'high', get.index);
  });
  m.exportFunc('add', add.index);
  m.exportFunc('reset', reset.index);
  return m.build();
}

/** One call per page: then V8 can replace its first version of `page` while many pages are added. */
function writeAdd(code: Code, page: number): void {
  const [offset, count, number] = [0, 1, 2];
  const done = code.block();
  const loop = code.loop();
  code.get(count).op('i32.eqz').brIf(done);
  code.get(offset).get(number).call(page);
  code.get(offset).i32(PAGE_SIZE).op('i32.add').set(offset);
  code.get(number).f64(1).op('f64.add').set(number);
  code.get(count).i32(1).op('i32.sub').set(count);
  code.br(loop).end().end();
}

function writePage(code: Code, sums: readonly number[]): void {
  const [offset, number] = [0, 1];
  const lanes = Array.from({ length: LANES }, () => code.local('i64'));
  const end = code.local('i32');
  code.get(offset).i32(PAGE_SIZE).op('i32.add').set(end);
  const loop = code.loop();
  lanes.forEach((lane, i) => {
    code.get(lane).get(offset).mem('i64.load', 8 * i).op('i64.xor').i64(STEP).op('i64.mul').i64(29n).op('i64.rotl').set(lane);
  });
  code.get(offset).i32(8 * LANES).op('i32.add').tee(offset);
  code.get(end).op('i32.ne').brIf(loop).end();
  code.get(lanes[0] as number);
  for (const lane of lanes.slice(1)) code.get(lane).op('i64.or');
  code.op('i64.eqz').if_();
  code.ret().end();
  sums.forEach((sum, half) => writeMixed(code, lanes, number, sum, MIX[half] as readonly bigint[]));
}

/** Adds one half of the page's hash to a sum. */
function writeMixed(code: Code, lanes: readonly number[], number: number, sum: number, factors: readonly bigint[]): void {
  const mixed = code.local('i64');
  code.get(number).op('i64.trunc_f64_u').i64(factors[LANES] as bigint).op('i64.mul');
  lanes.forEach((lane, i) => code.get(lane).i64(factors[i] as bigint).op('i64.mul').op('i64.add'));
  code.set(mixed);
  for (const factor of [0xff51afd7ed558ccdn, 0xc4ceb9fe1a85ec53n]) {
    code.get(mixed).get(mixed).i64(32n).op('i64.shr_u').op('i64.xor').i64(factor).op('i64.mul').set(mixed);
  }
  code.globalGet(sum).get(mixed).get(mixed).i64(29n).op('i64.shr_u').op('i64.xor').op('i64.add').globalSet(sum);
}
