/** Exchange: xchg xadd cmpxchg cmpxchg8b cmpxchg16b. Guest threads are serialised, so `lock` changes nothing. */
import { Mnemonic } from 'iced-x86';
import { FLAG, RAX, RBX, RCX, RDX, type Slot } from '../layout/cpuState.js';
import { ccOp } from '../ir/flags.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn } from './lift.js';

const VECTOR_GP = 13;

function xchg(l: Lift): void {
  // The memory operand, if any, is written first: that may fault.
  const memory = l.insn.isMemory(1) ? 1 : 0;
  const place = l.place(memory);
  const other = l.place(1 - memory);
  const a = place.read();
  const b = other.read();
  place.write(b);
  other.write(a);
}

function xadd(l: Lift): void {
  const place = l.place(0);
  const { size } = place;
  const old = place.read();
  const y = l.read(1);
  const sum = l.arith('add', size, old, y);
  if (place.isMemory) {
    place.write(sum);
    l.write(1, old);
  } else {
    l.write(1, old);
    place.write(sum);
  }
  l.setFlags('ADD', size, sum, y);
}

/** Keeps the whole register, upper half included, unless the condition holds. */
function writeIf(l: Lift, slot: Slot, condition: Value, write: () => void): void {
  const { b } = l;
  const before = b.get(slot);
  write();
  b.set(slot, b.op('i64.select', b.get(slot), before, condition));
}

function cmpxchg(l: Lift): void {
  const { b } = l;
  const place = l.place(0);
  const { size } = place;
  const accumulator = { slot: RAX, bytes: size, high: false };
  const expected = l.readGpr(accumulator);
  const old = place.read();
  const equal = l.arith('eq', size, expected, old);
  const stored = l.select(size, l.read(1), old, equal);
  // As on the hardware, memory is written either way; of the registers only the one that changes.
  if (place.isMemory) place.write(stored);
  writeIf(l, RAX, b.op('i32.eqz', equal), () => l.writeGpr(accumulator, old));
  if (!place.isMemory) writeIf(l, l.gpr(l.insn.register(0)).slot, equal, () => place.write(stored));
  l.setFlags('SUB', size, expected, old);
}

/** cmpxchg8b (half = 4) and cmpxchg16b (half = 8): only ZF changes. */
function cmpxchgPair(half: 4 | 8): LiftFn {
  return (l) => {
    const { b } = l;
    const at = l.address();
    const upper = { base: at.base, disp: at.disp + half };
    if (half === 8) b.opImm('trapIf', VECTOR_GP, b.op('i32.and', b.wrap(l.sum(at)), b.i32(15)));
    b.opImm('probeWrite', half * 2, l.sum(at));
    const low = l.load(half, at);
    const high = l.load(half, upper);
    const reg = (slot: typeof RAX): Value => (half === 8 ? b.get(slot) : b.wrap(b.get(slot)));
    const equal = b.op('i32.and', l.arith('eq', half, low, reg(RAX)), l.arith('eq', half, high, reg(RDX)));
    l.store(half, at, l.select(half, reg(RBX), low, equal));
    l.store(half, upper, l.select(half, reg(RCX), high, equal));
    b.set(RAX, b.op('i64.select', b.get(RAX), l.to64(low, half), equal));
    b.set(RDX, b.op('i64.select', b.get(RDX), l.to64(high, half), equal));
    const rest = b.op('i32.and', b.flags(), b.i32(~FLAG.ZF));
    b.setFlags(b.i32(ccOp('FLAGS', 1)), b.extend(b.op('i32.or', rest, b.op('i32.shl', equal, b.i32(6)))));
  };
}

export const EXCHANGE: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Xchg, xchg],
  [Mnemonic.Xadd, xadd],
  [Mnemonic.Cmpxchg, cmpxchg],
  [Mnemonic.Cmpxchg8b, cmpxchgPair(4)],
  [Mnemonic.Cmpxchg16b, cmpxchgPair(8)],
]);
