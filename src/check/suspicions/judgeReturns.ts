/**
 * Whether a strange return is one to an address that was overwritten. It is if, when that was written, it lay in the
 * frame of a function that had not returned yet, where the function had its return address. So neither longjmp, which
 * does not return at all, nor contexts that are made by hand, nor signal frames, nor code that pushes an address to go
 * there count.
 */
import { Decoder, DecoderOptions, Register } from 'iced-x86';
import type { GuestAddr } from '../../base/types.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import { Instructions, isCall } from '../../flow/instructions.js';
import { OwnWrites } from '../../flow/ownWrites.js';
import { type Step, stepOf } from '../../flow/steps.js';
import { RSP } from '../../layout/cpuState.js';
import { at, type Position } from '../../replay/log/position.js';
import { type Hit, memoryRange } from '../../replay/timeline/conditions.js';
import type { Work } from '../../replay/timeline/work.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import type { Occurrence } from '../../rules/evaluate/machine.js';
import type { Finding } from '../findings.js';
import { RecordedMachine } from './recordedMachine.js';
import type { SuspiciousReturn } from './suspicions.js';

const WORD = 8;
const BITS = 64;
const DEEPEST = 200;
/** Writes to the place that are looked at, back to that of the call. */
const MOST_WRITES = 64;
/** Events at one time. */
const MOST_EVENTS = 8;
/** Unwinding for exceptions goes to a handler by returning there. */
const UNWINDER = /^_Unwind_/;

interface Smashed {
  readonly callee: string;
  /** Where the function was called from. */
  readonly target: bigint;
}

export class ReturnJudge {
  private readonly writes: OwnWrites;
  private readonly instructions = new Instructions();

  constructor(
    private readonly debug: Debugger,
    private readonly rules: RuleSet,
    private readonly work?: Work,
  ) {
    this.writes = new OwnWrites(debug.execution);
  }

  async judge(suspicion: SuspiciousReturn): Promise<Finding | undefined> {
    const here = await this.goBefore(suspicion);
    const thread = here === undefined ? undefined : this.threadOf(suspicion);
    if (here === undefined || thread === undefined) return undefined;
    const smashed = await this.smashed(suspicion.slot, thread, here);
    if (smashed === undefined) return undefined;
    await this.debug.goTo(here, this.work);
    const { callee, target } = smashed;
    const machine = new RecordedMachine(this.debug.state, thread, { frames: [{ callee, target, slot: BigInt(suspicion.slot) }] });
    const occurrence: Occurrence = { kind: 'ret', callee, value: this.debug.state.register(thread, 'rax') ?? 0n };
    const firing = this.rules.fire(machine, occurrence, new Set(['returnAddressChanged']))[0];
    const { time, tid, pid, rip } = suspicion;
    return firing && { firing, occurrence, moment: { time, tid, pid, by: callee }, rip, isKernels: false, block: undefined, allocatedIn: [] };
  }

  /** To where the thread is about to return; undefined if it is not there. */
  private async goBefore(suspicion: SuspiciousReturn): Promise<Position | undefined> {
    for (let done = 0; done <= MOST_EVENTS; done++) {
      const position = at(suspicion.time, done === 0 ? Infinity : done - 1);
      await this.debug.goTo(position, this.work);
      const thread = this.threadOf(suspicion);
      const { state } = this.debug;
      if (thread !== undefined && state.register(thread, 'rip') === BigInt(suspicion.rip) && state.register(thread, RSP.name) === BigInt(suspicion.slot)) return position;
    }
    return undefined;
  }

  private threadOf({ tid, pid }: SuspiciousReturn): number | undefined {
    return this.debug.threads.find((thread) => thread.tid === tid && thread.pid === pid)?.id;
  }

  private async smashed(slot: GuestAddr, thread: number, here: Position): Promise<Smashed | undefined> {
    const hit = await this.lastWrite(slot, thread, here);
    if (hit === undefined) return undefined;
    const { state } = this.debug;
    const step = stepOf(state, hit.task);
    if (step === undefined || (hit.access?.by !== 'kernel' && isOnTop(step))) return undefined;
    const view = this.debug.program(thread);
    const frames = view === undefined ? [] : new Backtrace(view, { pastMain: true }).frames(DEEPEST);
    if (frames.some(({ functionName }) => UNWINDER.test(functionName ?? ''))) return undefined;
    const owner = frames.find(({ id }) => id.stack === BigInt(slot + WORD));
    const target = owner === undefined ? undefined : await this.calledFrom(slot, thread, hit.position);
    return target === undefined ? undefined : { callee: owner?.functionName ?? '??', target };
  }

  /** What the call stored there. */
  private async calledFrom(slot: GuestAddr, thread: number, before: Position): Promise<bigint | undefined> {
    let position = before;
    for (let writes = 0; writes < MOST_WRITES; writes++) {
      const hit = await this.lastWrite(slot, thread, position);
      const step = hit?.task === thread && hit.access?.by !== 'kernel' ? stepOf(this.debug.state, thread) : undefined;
      const block = step && this.instructions.at(step.rip, step.code);
      if (block !== undefined && block !== null && isCall(block)) return BigInt(block.next);
      if (hit === undefined) return undefined;
      position = hit.position;
    }
    return undefined;
  }

  /** Stands right before it. */
  private async lastWrite(slot: GuestAddr, thread: number, position: Position): Promise<Hit | undefined> {
    const hit = await this.writes.last([memoryRange(slot, WORD)], thread, position, this.work);
    if (hit !== undefined) await this.debug.goTo(hit.position, this.work);
    return hit;
  }
}

/** Whether it writes to the top of its stack, as code does that returns to where it wants to jump. */
function isOnTop({ code, rip }: Step): boolean {
  const decoder = new Decoder(BITS, code, DecoderOptions.None);
  decoder.ip = BigInt(rip);
  const instruction = decoder.decode();
  const { memoryBase, memoryIndex, memoryDisplacement } = instruction;
  const isOn = memoryBase === Register.RSP && memoryIndex === Register.None && memoryDisplacement === 0n;
  instruction.free();
  decoder.free();
  return isOn;
}
