/** Memory that the program asks the C library for, and gives back. */
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import { traceOf } from '../lazyTrace.js';
import type { Trace } from '../types.js';
import type { KnownHits, KnownTrace } from './knownHits.js';
import type { Places } from './places.js';
import type { Playing } from './playing.js';
import type { Scene } from './scene.js';
import { Snapshot } from './snapshot.js';
import { HitSource } from './sources.js';

export type Allocator = 'malloc' | 'calloc' | 'realloc' | 'free';

const NAMES: readonly Allocator[] = ['malloc', 'calloc', 'realloc', 'free'];

export class Allocation {
  constructor(
    readonly kind: Allocator,
    /** Where it is called. */
    readonly snapshot: Snapshot,
    private readonly resultOf: () => number | undefined,
  ) {}

  /** Bytes that were asked for; 0 for free. */
  get size(): number {
    const [first, second] = [this.argument('rdi'), this.argument('rsi')];
    switch (this.kind) {
      case 'malloc': return first;
      case 'calloc': return first * second;
      case 'realloc': return second;
      case 'free': return 0;
    }
  }

  /** What is given back: of free and realloc. */
  get freed(): number {
    return this.kind === 'free' || this.kind === 'realloc' ? this.argument('rdi') : 0;
  }

  /** What the program got; 0 for free. Looks for the return. */
  get pointer(): number {
    return this.kind === 'free' ? 0 : (this.resultOf() ?? 0);
  }

  /** The innermost function of the program itself on the stack, with the line that calls. */
  get site(): string {
    const frames = this.snapshot.backtrace();
    return String(frames.find(({ level, line }) => level > 0 && line > 0) ?? frames[1] ?? frames[0]).replace(/^0x\w+ in /, '').replace(/ \(.*\) at /s, ' at ');
  }

  toString(): string {
    return this.kind === 'free' ? `free(0x${this.freed.toString(16)})` : `${this.kind} ${this.size} bytes in ${this.site}`;
  }

  toJSON(): unknown {
    return { kind: this.kind, size: this.size, freed: this.freed, site: this.site };
  }

  private argument(register: string): number {
    return Number(this.snapshot.register(register));
  }
}

export class Allocations {
  /** By where they begin. */
  private readonly functions = new Map<number, Allocator>();
  private exits: KnownTrace | undefined;

  constructor(
    private readonly playing: Playing,
    private readonly scene: Scene,
    private readonly places: Places,
    private readonly known: KnownHits,
  ) {}

  trace(): Trace<Allocation> {
    const find = (): Condition[] => NAMES.map((name) => ({ kind: 'address', addresses: this.places.entries(name) }));
    const remembered = (): KnownTrace => {
      const trace = this.known.trace('allocations', find);
      for (const [i, condition] of trace.conditions.entries()) if (condition.kind === 'address') for (const address of condition.addresses) this.functions.set(address, NAMES[i] ?? 'malloc');
      return trace;
    };
    return traceOf(new HitSource(this.playing, remembered, (hit) => this.allocation(hit)));
  }

  private allocation({ position, task, rip }: Hit): Allocation {
    const snapshot = new Snapshot(this.scene, position, { task });
    return new Allocation(this.functions.get(rip) ?? 'malloc', snapshot, () => this.result(snapshot, task));
  }

  /** rax where the function returns: the stack is as it was at the call. */
  private result(call: Snapshot, task: number): number | undefined {
    this.exits ??= this.known.trace('ends of allocations', () => [{ kind: 'address', addresses: NAMES.flatMap((name) => this.places.ends(name)) }]);
    const stack = call.register('rsp');
    const source = new HitSource(this.playing, () => this.exits as KnownTrace, (hit) => hit);
    for (let from = call.time + 1; from < source.end; ) {
      const { items, to } = source.searchForward(from, source.end);
      for (const { value: hit } of items) {
        if (hit.task !== task) continue;
        const end = new Snapshot(this.scene, hit.position, { task });
        if (end.register('rsp') === stack) return Number(end.register('rax'));
      }
      from = to;
    }
    return undefined;
  }
}
