/** Bit operations: bt bts btr btc, bsf bsr, popcnt, bswap, crc32. */
import { Mnemonic } from 'iced-x86';
import { FLAG } from '../layout/cpuState.js';
import { ccOp } from '../ir/flags.js';
import type { Value } from '../ir/ir.js';
import { type Family, type Lift, type LiftFn, OperandPlace, type Size } from './lift.js';

type BitChange = 'keep' | 'set' | 'reset' | 'complement';

/** CF becomes `carry` (an i32 0 or 1), the other flags stay. */
export function setCarry(l: Lift, carry: Value): void {
  const { b } = l;
  b.setFlags(b.i32(ccOp('CARRY', 1)), b.extend(carry), b.extend(b.flags()));
}

function bitTest(change: BitChange): LiftFn {
  return (l) => {
    const { b, insn } = l;
    const size = l.size(0);
    const place = insn.isMemory(0) && !insn.isImmediate(1) ? bitString(l, size) : l.place(0);
    const index = l.arith('and', size, l.read(1, size), l.small(size * 8 - 1, size));
    const value = place.read();
    const moved = l.arith('shr_u', size, value, index);
    const bit = b.op('i32.and', size === 8 ? b.wrap(moved) : moved, b.i32(1));
    if (change !== 'keep') place.write(changed(l, change, size, value, index));
    setCarry(l, bit);
  };
}

/** A register index reaches beyond the operand: bit `index` of a string of bits that starts at the address. */
function bitString(l: Lift, size: Size): OperandPlace {
  const { b } = l;
  const index = l.signed64(l.read(1), size);
  const log = size === 8 ? 3 : size === 4 ? 2 : 1;
  const offset = b.op('i64.shl', b.op('i64.shr_s', index, b.i64(log + 3)), b.i64(log));
  const address = l.offset();
  let base = b.op('i64.add', address.base, offset);
  if (l.isAddress32()) base = b.extend(b.wrap(base));
  return new OperandPlace(l, size, null, l.segmented({ base, disp: address.disp }));
}

function changed(l: Lift, change: BitChange, size: Size, value: Value, index: Value): Value {
  const mask = l.arith('shl', size, l.small(1, size), index);
  if (change === 'set') return l.arith('or', size, value, mask);
  if (change === 'complement') return l.arith('xor', size, value, mask);
  return l.arith('and', size, value, l.arith('xor', size, mask, l.small(-1, size)));
}

/** A source of 0 sets ZF and leaves the destination as it was. */
function scan(forward: boolean): LiftFn {
  return (l) => {
    const { b } = l;
    const size = l.size(0);
    const source = l.read(1);
    const type = size === 8 ? 'i64' : 'i32';
    const top = size === 8 ? 63 : 31;
    const found = forward
      ? b.op(type === 'i64' ? 'i64.ctz' : 'i32.ctz', source)
      : l.arith('xor', size, b.op(type === 'i64' ? 'i64.clz' : 'i32.clz', source), l.small(top, size));
    const old = b.get(l.gpr(l.insn.register(0)).slot);
    const info = l.gpr(l.insn.register(0));
    const wide = l.to64(found, size);
    const fresh = size === 2 ? b.op('i64.or', b.op('i64.and', old, b.i64(~0xffffn)), wide) : wide;
    b.set(info.slot, b.op('i64.select', old, fresh, l.isZero(source, size)));
    l.setFlags('LOGIC', size, source);
  };
}

function popcnt(l: Lift): void {
  const { b } = l;
  const size = l.size(0);
  const source = l.read(1);
  l.write(0, b.op(size === 8 ? 'i64.popcnt' : 'i32.popcnt', source));
  const zero = b.op('i32.mul', l.isZero(source, size), b.i32(FLAG.ZF));
  b.setFlags(b.i32(ccOp('FLAGS', 1)), b.extend(zero));
}

function bswap(l: Lift): void {
  const size = l.size(0);
  const x = l.read(0);
  // The 16-bit form is undefined; CPUs write 0.
  l.write(0, size === 8 ? swap64(l, x) : size === 4 ? swap32(l, x) : l.b.i32(0));
}

function swap32(l: Lift, x: Value): Value {
  const { b } = l;
  const odd = b.op('i32.rotr', b.op('i32.and', x, b.i32(0x00ff00ff)), b.i32(8));
  return b.op('i32.or', odd, b.op('i32.rotl', b.op('i32.and', x, b.i32(0xff00ff00)), b.i32(8)));
}

function swap64(l: Lift, x: Value): Value {
  const { b } = l;
  const step = (v: Value, mask: bigint, shift: number): Value =>
    b.op('i64.or', b.op('i64.shl', b.op('i64.and', v, b.i64(mask)), b.i64(shift)), b.op('i64.and', b.op('i64.shr_u', v, b.i64(shift)), b.i64(mask)));
  return b.op('i64.rotl', step(step(x, 0x00ff00ff00ff00ffn, 8), 0x0000ffff0000ffffn, 16), b.i64(32));
}

function crc32(l: Lift): void {
  const { b } = l;
  const bytes = l.size(1);
  const data = l.to64(l.read(1), bytes);
  const old = l.read(0);
  const crc = b.opImm('crc32c', bytes, l.size(0) === 8 ? b.wrap(old) : old, data);
  l.write(0, l.to(l.size(0), crc));
}

export const BITS: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Bt, bitTest('keep')],
  [Mnemonic.Bts, bitTest('set')],
  [Mnemonic.Btr, bitTest('reset')],
  [Mnemonic.Btc, bitTest('complement')],
  [Mnemonic.Bsf, scan(true)],
  [Mnemonic.Bsr, scan(false)],
  // Without BMI and ABM, which CPUID does not advertise, the encodings of tzcnt and lzcnt are bsf and bsr.
  [Mnemonic.Tzcnt, scan(true)],
  [Mnemonic.Lzcnt, scan(false)],
  [Mnemonic.Popcnt, popcnt],
  [Mnemonic.Bswap, bswap],
  [Mnemonic.Crc32, crc32],
]);
