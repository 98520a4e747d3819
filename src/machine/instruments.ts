/** Does what an instrumentation says for one engine; when it is exchanged for another, only what is different. */
import type { MetInstructions } from '../ir/propagation/metInstructions.js';
import { propagationPass } from '../ir/propagation/propagationPass.js';
import { initPass, shadowPass } from '../ir/weaveInit.js';
import { looksPass } from '../ir/looksPass.js';
import type { BlockPass } from '../ir/blockPass.js';
import { CHECKS_RETURNS, KEEPS_UNWRITTEN, SHADOWED_GROUPS } from '../layout/memoryMap.js';
import type { AddressSpace } from './addressSpace.js';
import type { CodeSupply } from './codeSupply.js';
import type { Cpu } from './cpu.js';
import { HookCalls } from './hookCalls.js';
import { type Instrumentation, PLAIN } from './instrumentation.js';
import type { LinearMemory } from './linearMemory.js';
import { ExecutionLog } from './observation/executionLog.js';
import type { Log } from './observation/log.js';
import { SpotLog } from './observation/spotLog.js';
import { PROT } from './mapping.js';
import { PlainBlocks } from './plainBlocks.js';
import type { ShadowFollower } from './shadow/shadowFollower.js';
import { followShadow, type TrackingOptions } from './shadow/tracking.js';
import { Watch, type WatchedRange } from './watch.js';

export class Instruments {
  readonly hookCalls: HookCalls;
  /** Undefined as long as no memory has been watched. */
  watch: Watch | undefined;
  /** Undefined if no shadow is wanted. */
  shadow: ShadowFollower | undefined;
  /** Undefined if the program is not observed. */
  log: Log | undefined;
  private readonly plainBlocks: PlainBlocks;
  /** For shadow that begins in frames of functions. */
  private readonly initPass: BlockPass;
  private current = PLAIN;
  /** Where code propagates shadow: instructions that are known to meet some. */
  private met: MetInstructions | undefined;
  /** What the shadow in use has begun with. */
  private begun: TrackingOptions | undefined;

  /** `retired`: instructions of the engine so far, also in the middle of a run. */
  constructor(
    private readonly cpu: Cpu,
    private readonly linear: LinearMemory,
    private readonly space: AddressSpace,
    private readonly code: CodeSupply,
    private readonly retired: () => number,
  ) {
    this.hookCalls = new HookCalls(cpu, retired);
    this.plainBlocks = new PlainBlocks(linear);
    // Library functions for strings read whole vectors and look at what they should.
    this.initPass = initPass((address) => space.isLooseCode(address));
  }

  get value(): Instrumentation {
    return this.current;
  }

  /** Whether something waits for the program to be in its memory. */
  get isDue(): boolean {
    return this.current.shadow !== this.begun;
  }

  /** From now on this is wanted. The program is in its memory. */
  apply(value: Instrumentation): void {
    this.lookOutFor(value);
    this.begin();
  }

  /** The program is in its memory, and is about to run. */
  begin(): void {
    if (this.isDue) this.beginShadow(this.current.shadow);
  }

  /** The same is wanted as of another engine. `isCopy`: the memory is a copy of the other's, and so is the code. */
  inherit(from: Instruments, isCopy: boolean): void {
    const { passes, breakpoints, tests, hooks } = from.current;
    if (isCopy) this.current = { ...PLAIN, passes, breakpoints, tests, hooks };
    this.lookOutFor(from.current);
    if (!isCopy || from.isDue) return;
    this.begin();
    const [own, others] = [this.space.unwritten, from.space.unwritten];
    if (own === undefined || others === undefined) return;
    for (const m of this.space.mappings()) if ((m.prot & PROT.WRITE) !== 0) own.copyFrom(others, m.start, m.end);
    if (from.shadow !== undefined) this.shadow?.copyRegisters(from.shadow);
  }

  /** The engine is not used any more: others find the memory as it was before. */
  layAside(): void {
    this.watch?.set([]);
    this.log?.close?.();
    this.linear.u32[CHECKS_RETURNS / 4] = 0;
    this.linear.u32[KEEPS_UNWRITTEN / 4] = 0;
    this.linear.u32[SHADOWED_GROUPS / 4] = 0;
  }

  /** The memory has been cleared for another program. */
  restart(): void {
    this.layAside();
    this.shadow = undefined;
    this.begun = undefined;
    this.beginLog(this.current.observation);
    this.lookOutFor(this.current);
    this.setWatched(this.current.watched);
  }

  private lookOutFor(value: Instrumentation): void {
    const before = this.current;
    const { hooks, variables } = value;
    this.current = value;
    this.hookCalls.handler = hooks.handler;
    this.stopAt(value, before);
    if (hooks !== before.hooks) this.code.breakpoints.setHooks(hooks);
    if (value.watched !== before.watched) this.setWatched(value.watched);
    this.plainBlocks.show(variables.globals);
    this.code.watchVariables(variables);
    this.linear.u32[CHECKS_RETURNS / 4] = value.checksReturns ? 1 : 0;
    if (value.observation !== before.observation) this.beginLog(value.observation);
    this.code.setPasses(this.passesFor(value));
  }

  /** A test would be a use of what is in registers: where that is followed, others have to look. */
  private stopAt({ breakpoints, tests, shadow }: Instrumentation, before: Instrumentation): void {
    const isSame = breakpoints === before.breakpoints && tests === before.tests && (shadow === undefined) === (before.shadow === undefined);
    if (isSame) return;
    const stopsAtAll = shadow !== undefined && tests.size > 0;
    this.code.breakpoints.set(stopsAtAll ? new Set([...breakpoints, ...tests.keys()]) : breakpoints);
    this.code.breakpoints.setTests(stopsAtAll ? PLAIN.tests : tests);
  }

  /** Who looks at calls looks first: the rest is the program's. */
  private passesFor({ hooks, passes, shadow }: Instrumentation): readonly BlockPass[] {
    const hasLooks = hooks.looks.size > 0 || hooks.key !== undefined;
    return [...(hasLooks ? [looksPass(hooks.looks, hooks.key)] : []), ...this.shadowPasses(shadow), ...passes, ...(this.log === undefined ? [] : [this.log.pass])];
  }

  private shadowPasses(shadow: TrackingOptions | undefined): readonly BlockPass[] {
    if (shadow === undefined) return [];
    return [shadow.policy === undefined || shadow.policy.startsInFrames ? this.initPass : this.met === undefined ? shadowPass() : propagationPass(this.met)];
  }

  private beginLog(observation: Instrumentation['observation']): void {
    const { linear, cpu, code: { known } } = this;
    this.log?.close?.();
    if (observation === undefined) this.log = undefined;
    else this.log = 'spots' in observation ? new SpotLog(linear, cpu, known, observation) : new ExecutionLog(linear, cpu, known, observation);
  }

  private setWatched(ranges: readonly WatchedRange[]): void {
    if (this.watch === undefined && ranges.length === 0) return;
    this.watch ??= new Watch(this.linear, this.space);
    if (this.watch.set(ranges)) this.code.compiler.watchedChanged(ranges.map(({ start, end, kind }) => `${start}-${end}${kind}`).join());
  }

  private beginShadow(options: TrackingOptions | undefined): void {
    this.begun = options;
    this.shadow = undefined;
    this.space.unwritten = undefined;
    this.linear.u32[KEEPS_UNWRITTEN / 4] = 0;
    this.linear.u32[SHADOWED_GROUPS / 4] = 0;
    this.setPropagation(undefined);
    const outside = {
      now: this.retired,
      setPropagation: (met: MetInstructions) => this.setPropagation(met),
      remake: (addresses: Iterable<number>) => this.code.remake(addresses),
    };
    if (options !== undefined) this.shadow = followShadow(this.cpu, this.linear, this.space, this.code, outside, options);
  }

  private setPropagation(met: MetInstructions | undefined): void {
    if (met === this.met) return;
    this.met = met;
    this.code.setPasses(this.passesFor(this.current));
  }
}
