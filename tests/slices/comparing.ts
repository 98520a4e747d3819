/** One program, many criteria: what is wrong with the walk's slices, in words. */
import { guestAddr } from '../../src/base/types.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { RSP } from '../../src/layout/cpuState.js';
import { Timeline, type TimelineOptions } from '../../src/replay/timeline/timeline.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { BruteGraphs } from './bruteControl.js';
import { BOTH, bruteForce, Compared, differences, recordProgram, type Which } from './compared.js';

export interface ComparingRequest {
  readonly seed: number;
  readonly criteria: number;
  readonly frames: boolean;
  /** What is compared begins with `main`; of programs without symbols, where the dynamic linker enters them. */
  readonly from?: 'main' | 'entry';
  /** Instructions that are looked at, at most. */
  readonly most?: number;
}

export interface ComparingResult {
  readonly problems: readonly string[];
  readonly criteria: number;
  readonly members: number;
  readonly edges: number;
  readonly instances: number;
}

const WHICH: readonly Which[] = [BOTH, BOTH, BOTH, { data: true, control: false }, { data: false, control: true }];

/** Numbers that look random, always the same for a seed. */
export function dice(seed: number): (below: number) => number {
  let state = Math.imul(seed + 1, 0x9e37_79b1);
  return (below) => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export async function compareProgram(words: readonly string[], request: ComparingRequest): Promise<ComparingResult> {
  const options = await recordProgram(words);
  const end = options.log.endTime;
  const main = request.from === 'entry' ? { from: await entryTime(options), to: end } : await mainTimes(options);
  const { from } = main;
  const to = Math.min(main.to, from + (request.most ?? 200_000));
  const random = dice(request.seed);
  const samples = new Set(Array.from({ length: request.criteria }, () => from + 1 + random(to - from - 1)));
  const seen = dice(request.seed + 1);
  const brute = bruteForce(options, new BruteGraphs(new Modules(NEAR_FILES)), { begin: from, from, to, samples, random: (below) => seen(below) }, request.frames);
  const compared = new Compared(options, from, request.frames, request.from === 'entry');
  const problems = [...brute.unsound].slice(0, 10);
  let [members, edges, criteria] = [0, 0, 0];
  for (const sample of brute.sampled) {
    const which = WHICH[criteria++ % WHICH.length] as Which;
    const walked = await compared.walked(sample.asked, which);
    const expected = brute.slice(sample, which);
    members += expected.members.size;
    edges += expected.edges.size;
    const found = differences(walked, expected);
    if (found.length > 0) problems.push(`${JSON.stringify(sample.asked).slice(0, 200)} ${JSON.stringify(which)}: ${found.length} of ${expected.edges.size}: ${found.slice(0, 6).join('; ')}`);
    if (problems.length > 5) break;
  }
  return { problems, criteria, members, edges, instances: to - from };
}

/** When `main` is called, the first time, and when it returns; all of the run if there is none. */
export async function mainTimes(options: TimelineOptions): Promise<{ readonly from: number; readonly to: number }> {
  const timeline = new Timeline(options);
  const modules = new Modules(NEAR_FILES);
  const thread = timeline.state.current?.id ?? 1;
  const addresses = modules.of(timeline.state, thread).all.flatMap((module) => {
    const address = module.symbolAddress('main');
    return address === undefined ? [] : [address + Number(module.bias)];
  });
  const hit = await timeline.forward([{ kind: 'address', addresses: addresses as never }]);
  if (hit === undefined) return { from: 0, to: timeline.endTime };
  const words = timeline.state.cpuWords(thread) as Uint32Array;
  const stackPointer = new DataView(words.buffer, words.byteOffset).getBigUint64(RSP.offset, true);
  const slot = timeline.state.read(thread, guestAddr(Number(stackPointer)), 8) as Uint8Array;
  const back = await timeline.forward([{ kind: 'address', addresses: [guestAddr(Number(new DataView(slot.buffer, slot.byteOffset).getBigUint64(0, true)))] }]);
  return { from: hit.position.time, to: back?.position.time ?? timeline.endTime };
}

/** When the program itself begins: what came before is the dynamic linker's. */
async function entryTime(options: TimelineOptions): Promise<number> {
  const timeline = new Timeline(options);
  const { main } = new Modules(NEAR_FILES).of(timeline.state, timeline.state.current?.id ?? 1);
  if (main === undefined) throw new Error('there is a program');
  const hit = await timeline.forward([{ kind: 'address', addresses: [guestAddr(main.file.elf.header.entry + Number(main.bias))] }]);
  if (hit === undefined) throw new Error('it begins');
  return hit.position.time;
}
