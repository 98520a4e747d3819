/**
 * Which bytes of the CPU state and of guest memory one instruction reads and writes. What may be read and written
 * follows from the IR alone (`instructionEffects`); which registers of the x87 stack are meant, and where memory is
 * accessed, is known of a stopped machine (`effectsIn`). Written means: may have changed. A byte that is not in the
 * set is as it was before.
 */
import type { Block, Node } from '../ir.js';
import type { OpDef } from '../opDef.js';
import { OPS } from '../ops.js';
import { restoresImage } from '../sysCalls.js';
import { FX_WRITTEN } from '../../layout/fxImage.js';
import type { Evaluation } from './evaluation.js';
import { endEffects, memoryEffects, nodeEffects, type SlotEffects } from './nodeEffects.js';
import { type StateBytes, stateBytes } from './stateBytes.js';
import { type MemoryRange, stringWalk, walkedRange } from './strings.js';
import { convertedBytes } from './x87Effects.js';

interface InstructionEffects {
  readonly reads: StateBytes;
  readonly writes: StateBytes;
  readonly readsMemory: boolean;
  readonly writesMemory: boolean;
  /**
   * The kernel, or the owner of a hook, does something: what else it reads and writes in memory its side must tell.
   */
  readonly isOutside: boolean;
}

export interface ExactEffects {
  readonly reads: StateBytes;
  readonly writes: StateBytes;
  /** Undefined if an address is not known. */
  readonly memoryReads: readonly MemoryRange[] | undefined;
  readonly memoryWrites: readonly MemoryRange[] | undefined;
  readonly isOutside: boolean;
}

export function instructionEffects(block: Block): InstructionEffects {
  const memory = block.nodes.map(memoryEffects);
  return {
    ...stateEffects(block, () => undefined),
    readsMemory: memory.some(({ reads }) => reads),
    writesMemory: memory.some(({ writes }) => writes),
    isOutside: block.end.kind === 'syscall' || memory.some(({ outside }) => outside),
  };
}

export function effectsIn(evaluation: Evaluation): ExactEffects {
  const { block } = evaluation;
  const accesses = block.nodes.map((node) => nodeAccesses(node, evaluation));
  const tops = stackTops(evaluation);
  return {
    ...stateEffects(block, (i) => tops[i]),
    memoryReads: joined(accesses.map(({ reads }) => reads)),
    memoryWrites: joined(accesses.map(({ writes }) => writes)),
    isOutside: block.end.kind === 'syscall' || block.nodes.some((node) => memoryEffects(node).outside),
  };
}

/** Bytes of the state that may be read before the instruction has written them are its inputs. */
function stateEffects({ nodes, end }: Block, topAt: (node: number) => number | undefined): { readonly reads: StateBytes; readonly writes: StateBytes } {
  let [reads, writes] = [0n, 0n];
  const add = (effects: SlotEffects): void => {
    reads |= stateBytes(effects.reads);
    writes |= stateBytes(effects.writes);
  };
  nodes.forEach((node, i) => add(nodeEffects(node, topAt(i))));
  add(endEffects(end));
  return { reads, writes };
}

/** TOP before each node, as far as it is known: operations that may move the stack come last, but for frstor. */
export function stackTops(evaluation: Evaluation): readonly (number | undefined)[] {
  let top: number | undefined = evaluation.top;
  return evaluation.block.nodes.map((node) => {
    const before = top;
    const { name } = OPS[node.op] as OpDef;
    if (name === 'x87.setEnv') {
      const status = evaluation.value(node.b);
      top = status === undefined ? undefined : Number((status >> 11n) & 7n);
    } else if (MOVES_STACK.test(name)) top = undefined;
    return before;
  });
}

const MOVES_STACK = /^(mmx\.|x87\.(load|arith|compare|comi|commit|register|run))/;

interface Accesses {
  readonly reads: readonly MemoryRange[] | undefined;
  readonly writes: readonly MemoryRange[] | undefined;
}

const NO_ACCESS: Accesses = { reads: [], writes: [] };

function joined(lists: readonly (readonly MemoryRange[] | undefined)[]): readonly MemoryRange[] | undefined {
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

/** Memory that a node accesses. */
function nodeAccesses(node: Node, evaluation: Evaluation): Accesses {
  const def = OPS[node.op] as OpDef;
  const { name, effect, bytes } = def;
  const at = (address: number | undefined, size: number): readonly MemoryRange[] | undefined =>
    address === undefined ? undefined : [{ address, bytes: size }];
  if (effect === 'load') return { reads: at(evaluation.address(node), bytes), writes: [] };
  if (effect === 'store' && bytes > 0) return { reads: [], writes: at(evaluation.address(node), bytes) };
  // Where an exception forbids the store, memory gets what it has.
  if (name === 'x87.convert') return { reads: at(numberOf(evaluation.value(node.a)), convertedBytes(node.imm)), writes: [] };
  if (name === 'sys.fpuImage') {
    const image = at(numberOf(evaluation.value(node.a)), FX_WRITTEN);
    return restoresImage(node.imm) ? { reads: image, writes: [] } : { reads: [], writes: image };
  }
  return name.startsWith('rep.') ? stringAccesses(def, node, evaluation) : NO_ACCESS;
}

function stringAccesses(def: OpDef, { imm }: Node, { before }: Evaluation): Accesses {
  const walk = stringWalk(def, imm, before);
  if (walk.count === undefined) return { reads: undefined, writes: undefined };
  const [source, target] = [walkedRange(walk, walk.source), walkedRange(walk, walk.target)];
  return def.name === 'rep.movs' || def.name === 'rep.stos' ? { reads: source, writes: target } : { reads: [...source, ...target], writes: [] };
}

function numberOf(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
