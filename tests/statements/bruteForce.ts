/**
 * Arrivals by their definition, the slow way: every instruction of a run by itself, with the stack as it is. A call
 * that returns leads back to what was under way in its frame; a handler that returns, to what it interrupted. Nothing
 * of how the product counts is used, but what the statement of an instruction is.
 */
import type { CodeUnits } from '../../src/debugger/arrivals/units.js';
import type { Modules } from '../../src/debugger/program/modules.js';
import { time } from '../../src/base/types.js';
import { flowOf, type FlowStep } from '../../src/x86/flow.js';
import type { Execution } from '../../src/replay/timeline/execution.js';

export interface Step {
  readonly time: number;
  readonly thread: number;
  readonly pc: number;
  readonly rsp: number;
  readonly kind: FlowStep['kind'];
  readonly length: number;
  readonly rax: number;
  /** Of lines or of statements: which begins here, which it belongs to. */
  readonly units: readonly { readonly begun: number; readonly owner: number }[];
}

const LONGEST = 15;

/** All instructions from a position on, one by one. */
export async function singleSteps(execution: Execution, modules: Modules, kinds: readonly CodeUnits[]): Promise<Step[]> {
  const steps: Step[] = [];
  const known = new Map<string, Pick<Step, 'kind' | 'length' | 'units'>>();
  for (;;) {
    const { state, position } = execution;
    const thread = state.current?.id;
    if (thread === undefined) break;
    const [pc, rsp, rax] = ['rip', 'rsp', 'rax'].map((name) => Number(state.register(thread, name) ?? 0n)) as [number, number, number];
    const key = `${state.threads.find(({ id }) => id === thread)?.pid} ${pc}`;
    let facts = known.get(key);
    if (facts === undefined) {
      const module = modules.of(state, thread).at(BigInt(pc));
      const address = pc - Number(module?.bias ?? 0n);
      const units = kinds.map((code) => (module === undefined ? { begun: 0, owner: 0 } : { begun: code.unitAt(module, address), owner: code.ownerAt(module, address) }));
      let code: Uint8Array | undefined;
      for (let size = LONGEST; size > 0 && code === undefined; size--) code = state.read(thread, pc as never, size) ?? undefined;
      const [first] = flowOf(code ?? new Uint8Array(0), pc);
      known.set(key, (facts = { kind: first?.kind ?? 'invalid', length: first?.length ?? 0, units }));
    }
    steps.push({ time: position.time, thread, pc, rsp, rax, ...facts });
    const before = position.time;
    await execution.forward([{ kind: 'time', time: time(before + 1) }]);
    if (execution.position.time === before) break;
  }
  return steps;
}

interface Frame {
  /** Where the return address lies, or the stack where a handler interrupted. */
  readonly slot: number;
  readonly returnsTo: number;
  readonly state: Under;
}

/** What is under way in a frame. */
interface Under {
  unit: number;
  /** It has jumped back since something began. */
  back: boolean;
  been: Set<number>;
  /** Instances that have begun and not ended in this frame, by unit: numbers. */
  current: Map<number, number>;
}

export interface FoundArrival {
  readonly unit: number;
  readonly number: number;
  readonly time: number;
  readonly thread: number;
}

export interface Found {
  readonly arrivals: readonly FoundArrival[];
  /** For every step: the instance that it belongs to, 0 if its unit was not reached. */
  readonly instances: readonly number[];
  /** By arrival: when control leaves it. */
  readonly ends: readonly number[];
}

const NONE = (): Under => ({ unit: 0, back: false, been: new Set(), current: new Map() });
const SIGRETURN = 15;

export function arrivalsByDefinition(steps: readonly Step[], kind: number, isSameGroup: (a: number, b: number) => boolean): Found {
  const threads = new Map<number, { frames: Frame[]; state: Under; last: Step | undefined }>();
  const totals = new Map<number, number>();
  const arrivals: FoundArrival[] = [];
  const instances: number[] = [];
  const ends: number[] = [];
  const under: { readonly arrival: number; readonly thread: number; readonly depth: number; readonly unit: number }[] = [];
  for (const step of steps) {
    // What a thread begins in is left when it returns from there.
    const thread = threads.get(step.thread) ?? { frames: [{ slot: step.rsp, returnsTo: -1, state: NONE() }], state: NONE(), last: undefined };
    threads.set(step.thread, thread);
    const { last } = thread;
    const { begun, owner } = step.units[kind] as { begun: number; owner: number };
    let isBack = last !== undefined && step.pc <= last.pc;
    if (last !== undefined) {
      const wasCall = last.kind === 'call' || last.kind === 'indirectCall';
      const isSigreturn = last.kind === 'next' && last.rax === SIGRETURN && step.pc !== last.pc + last.length;
      const isHandler = !isSigreturn && (last.kind === 'next' ? step.pc !== last.pc + last.length && step.pc !== last.pc : false);
      if (wasCall && step.rsp === last.rsp - 8) {
        thread.frames.push({ slot: step.rsp, returnsTo: last.pc + last.length, state: thread.state });
        thread.state = NONE();
        isBack = false;
      } else if (isHandler) {
        // It returns to code that asks the kernel to go on where it was.
        thread.frames.push({ slot: last.rsp, returnsTo: last.pc + last.length, state: thread.state }, { slot: step.rsp, returnsTo: -1, state: NONE() });
        thread.state = NONE();
        isBack = false;
      } else if (last.kind !== 'next' || isSigreturn) {
        // Frames below the stack pointer are gone, once control has left them.
        for (let frame = thread.frames.at(-1); frame !== undefined && frame.slot < step.rsp + (isSigreturn ? 1 : 0); frame = thread.frames.at(-1)) {
          thread.frames.pop();
          const isReturn = frame.returnsTo === step.pc;
          thread.state = isReturn ? frame.state : { ...NONE(), current: frame.state.current };
          isBack = false;
        }
      }
    }
    const { state } = thread;
    state.back ||= isBack;
    // What was under way in this frame, or in one that is gone, ends.
    for (let i = under.length - 1; i >= 0; i--) {
      const one = under[i] as (typeof under)[number];
      if (one.thread !== step.thread) continue;
      const isLeft = thread.frames.length < one.depth || (thread.frames.length === one.depth && begun !== 0 && (begun !== one.unit || state.back));
      if (!isLeft) continue;
      ends[one.arrival] = step.time;
      under.splice(i, 1);
    }
    if (begun !== 0) {
      const isFresh = !isSameGroup(begun, state.unit) || state.back;
      if (isFresh) state.been = new Set();
      if (!state.been.has(begun)) {
        const number = (totals.get(begun) ?? 0) + 1;
        totals.set(begun, number);
        state.current.set(begun, number);
        under.push({ arrival: arrivals.length, thread: step.thread, depth: thread.frames.length, unit: begun });
        arrivals.push({ unit: begun, number, time: step.time, thread: step.thread });
      }
      state.been.add(begun);
      state.unit = begun;
      state.back = false;
    }
    instances.push(state.current.get(owner) ?? totals.get(owner) ?? 0);
    thread.last = step;
  }
  const end = (steps.at(-1)?.time ?? 0) + 1;
  return { arrivals, instances, ends: arrivals.map((_, i) => ends[i] ?? end) };
}
