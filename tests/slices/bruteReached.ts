/** A slice as reachability, over the instances that brute force has noted. */
import type { InstructionDependences } from '../../src/ir/dependences/instructionDependences.js';
import { isCell, loadOf } from '../../src/ir/dependences/refs.js';
import { RSP } from '../../src/layout/cpuState.js';
import { ASKED, BY_KERNEL, CARRIED, type BruteOptions, type BruteSlice, type Instance, NOTHING, type Output, OUTPUTS, PER_ACCESS, STORED } from './bruteInstances.js';

/** The instances that are reached, with what is wanted of each; later ones first: they want earlier ones. */
export class Reached {
  readonly members = new Set<number>();
  readonly edges = new Set<string>();
  private readonly wanted = new Map<number, Set<number>>();
  private readonly times: number[] = [];

  constructor(
    private readonly instances: readonly (Instance | undefined)[],
    private readonly options: BruteOptions,
    private readonly which: { readonly data: boolean; readonly control: boolean },
  ) {}

  from(outputs: readonly Output[], seeds: readonly number[]): BruteSlice {
    for (const output of outputs) this.want(ASKED, output);
    for (const seed of seeds) this.at(seed).add(SEED);
    for (;;) {
      const time = this.times.pop();
      if (time === undefined) return this;
      this.visit(time, this.wanted.get(time) as Set<number>);
    }
  }

  private at(time: number): Set<number> {
    let known = this.wanted.get(time);
    if (known !== undefined) return known;
    this.wanted.set(time, (known = new Set()));
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    this.times.splice(low, 0, time);
    return known;
  }

  private want(from: number, output: Output): void {
    if (output === NOTHING) return;
    const time = Math.floor(output / OUTPUTS);
    this.at(time).add(output % OUTPUTS);
    this.edges.add(`${from}>${time} data`);
  }

  private visit(time: number, wanted: Set<number>): void {
    const { dependences, definers, loaded, source, parent, asks, carried, looked } = this.instances[time] as Instance;
    this.members.add(time);
    const refs = new Set<number>();
    const add = (more: readonly number[]): void => more.forEach((ref) => void refs.add(ref));
    for (const output of wanted) {
      if (output === SEED) {
        add(usesOf(dependences));
        if (this.which.data) for (const one of carried) this.want(time, one);
      }
      else if (output === DECISION) add(dependences.decision);
      else if (output === BY_KERNEL) continue;
      else if (output >= CARRIED) {
        if (this.which.data) this.want(time, carried[output - CARRIED] as Output);
      }
      else if (output < STORED) add(dependences.inputs[dependences.cells.indexOf(output)] as readonly number[]);
      else {
        const [access, byte] = [Math.floor((output - STORED) / PER_ACCESS), (output - STORED) % PER_ACCESS];
        const { stored } = dependences.accesses[access] as { stored: readonly (readonly number[])[] };
        const own = stored[byte % stored.length] as readonly number[];
        add(source === undefined ? own : own.filter(isCell));
        if (source !== undefined && this.which.data) this.want(time, loaded[0]?.[source(byte)] as Output);
      }
    }
    add(asks);
    if (this.which.data) for (const one of looked) this.want(time, one);
    if (this.which.data) for (const ref of refs) this.use(time, ref, definers, loaded);
    if (!this.which.control || parent < this.options.from) return;
    this.at(parent).add(DECISION);
    this.edges.add(`${time}>${parent} control`);
  }

  private use(time: number, ref: number, definers: ReadonlyMap<number, Output>, loaded: readonly (readonly Output[])[]): void {
    if (!this.options.frames && ref >= RSP.offset && ref < RSP.offset + 8) return;
    const definer = definers.get(ref);
    if (definer !== undefined) this.want(time, definer);
    else for (const one of loaded[loadOf(ref).access] ?? []) this.want(time, one);
  }
}

const SEED = -1;
const DECISION = -2;

const USES = new WeakMap<InstructionDependences, readonly number[]>();

/** All refs of an instruction. */
export function usesOf(dependences: InstructionDependences): readonly number[] {
  const known = USES.get(dependences);
  if (known !== undefined) return known;
  const { inputs, accesses, decision } = dependences;
  const uses = [...new Set([inputs, decision, accesses.map(({ address, stored }) => [address, ...stored])].flat(3))];
  USES.set(dependences, uses);
  return uses;
}
