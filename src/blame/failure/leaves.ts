/**
 * What a register's value was made of within one statement: the variables that the statement names. `a[i]` is made of
 * the pointer `a` and the index `i`; each is a leaf, with the time at which it was read. Code of libraries belongs to
 * the statement that called it.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { codeAt, Instructions } from '../../flow/instructions.js';
import type { ValueFlow } from '../../flow/chain.js';
import { memoryPlace, type Place } from '../../flow/copies/place.js';
import { asNumbers } from '../../flow/copies/valueSources.js';
import { viewOf } from '../../flow/ownCode.js';
import type { Step } from '../../flow/steps.js';
import { type Block, NONE, type Value } from '../../ir/ir.js';
import { Evaluation } from '../../ir/meaning/evaluation.js';
import { operandsOf } from '../../ir/meaning/pureOperation.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { GPR, RBP, RSP } from '../../layout/cpuState.js';
import { at, type Position } from '../../replay/log/position.js';
import type { State } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import { placeOf } from '../frames.js';

export interface Leaf {
  /** A variable in memory, or a register that was set by another statement. */
  readonly place: Place;
  readonly position: Position;
  readonly thread: number;
  readonly value: bigint;
}

/** Instructions that one value may be made of in a statement. */
const MOST_STEPS = 40;
const REGISTERS: ReadonlySet<number> = new Set(GPR.map(({ offset }) => offset));

const INSTRUCTIONS = new Instructions();

/** The instruction that a thread is about to execute; null where there is none. */
export function blockAt(state: State, thread: number): Block | null {
  const rip = guestAddr(Number(state.register(thread, 'rip')));
  return state.permissions(thread, rip)?.execute === true ? INSTRUCTIONS.at(rip, codeAt(state, thread, rip)) : null;
}

/** Of a block of one instruction: the numbers in it, where a thread stands. */
export function evaluationAt(state: State, thread: number, block: Block): Evaluation {
  const words = state.cpuWords(thread) as Uint32Array;
  return new Evaluation(block, asNumbers({ words, memory: (address, size) => state.read(thread, address, size) }));
}

/** Registers and memory that a value of an instruction is made of. */
export function sourcesOf(block: Block, value: Value, evaluation: Evaluation): Place[] {
  if (value === NONE) return [];
  const node = block.nodes[value];
  if (node === undefined) return [];
  const def = OPS[node.op] as OpDef;
  if (def.effect === 'get') return REGISTERS.has(node.imm) ? [{ kind: 'register', offset: node.imm, size: 8 }] : [];
  if (def.effect === 'load') {
    const address = evaluation.address(node);
    return address === undefined ? [] : [memoryPlace(address, def.bytes)];
  }
  return operandsOf(node).flatMap((operand) => sourcesOf(block, operand, evaluation));
}

/** Finds leaves. The execution moves. */
export class Leaves {
  private left = MOST_STEPS;
  private readonly found: Leaf[] = [];
  private readonly seen = new Set<string>();

  constructor(
    private readonly flow: ValueFlow,
    private readonly thread: number,
    /** Of the statement, as `statementAt` names it. */
    private readonly statement: string,
    private readonly work: Work | undefined,
  ) {}

  /** What places that an instruction is about to use are made of. */
  async of(places: readonly Place[], position: Position): Promise<readonly Leaf[]> {
    for (const place of places) await this.add(place, position);
    return this.found;
  }

  private async add(place: Place, position: Position): Promise<void> {
    const { flow, thread, work } = this;
    if (place.kind === 'memory' || isFrameRegister(place)) return this.leaf(place, position);
    if (this.left-- <= 0) return this.leaf(place, position);
    const set = await flow.find({ place, thread, position, value: 0n }, work);
    if (set.kind !== 'instruction' || set.step.thread !== thread) return this.leaf(place, position);
    await flow.execution.seek(at(set.step.time), work);
    if (statementAt(flow, thread) !== this.statement) return this.leaf(place, position);
    const { came } = set;
    const before = at(set.step.time);
    if (came.kind === 'copy') return this.add(came.from, before);
    if (came.kind !== 'made') return this.leaf(place, position);
    const sources = sourcesAt(flow.execution.state, set.step, place);
    if (sources.length === 0) return this.leaf(place, position);
    for (const source of sources) await this.add(source, before);
  }

  private async leaf(place: Place, position: Position): Promise<void> {
    const key = place.kind === 'memory' ? `m${place.address}` : `r${place.offset} ${position.time}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    await this.flow.execution.seek(position, this.work);
    this.found.push({ place, position, thread: this.thread, value: this.flow.valueOf(place, this.thread) });
  }
}

/** The statement that a thread is at; without lines, the function. */
export function statementAt(flow: ValueFlow, thread: number): string {
  const view = viewOf(flow.execution.state, thread, flow.modules);
  if (view === undefined) return '';
  const { file, line, function: name } = placeOf(view);
  return line === undefined ? `${name}` : `${name} ${file}:${line}`;
}

/** What an instruction makes of what, that leaves a value in a register. */
function sourcesAt(state: State, step: Step, place: Place): Place[] {
  const block = INSTRUCTIONS.at(step.rip as GuestAddr, step.code);
  if (block === null || place.kind !== 'register') return [];
  const evaluation = new Evaluation(block, asNumbers({ words: step.words, memory: (address, size) => state.read(step.thread, address, size) }));
  const whole = place.offset & ~7;
  return block.nodes.flatMap((node) => ((OPS[node.op] as OpDef).effect === 'set' && (node.imm & ~7) === whole ? sourcesOf(block, node.a, evaluation) : []));
}

/** Variables of the frame are addressed by these: they are right as long as the stack is. */
function isFrameRegister(place: Place): boolean {
  return place.kind === 'register' && (place.offset === RSP.offset || place.offset === RBP.offset);
}
