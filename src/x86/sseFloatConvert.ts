/** SSE conversions between singles, doubles and integers in general, MMX and XMM registers. */
import { Mnemonic } from 'iced-x86';
import type { Family, Lift, LiftFn } from './lift.js';
import { laneMask, mmxNumber, readRegister, shuffle, unary, vectorFamily, vectorSource, writeVector, zeroVector } from './sseIntOperands.js';

/** Writes low(y), converted, into the low lane of x. */
function scalar(name: string): LiftFn {
  return (l) => {
    const y = vectorSource(l, 1);
    writeVector(l, 0, l.b.op(name, readRegister(l, l.insn.register(0)), y));
  };
}

function vector(name: string): LiftFn {
  return unary((b, y) => b.op(name, y));
}

/** cvtsi2ss, cvtsi2sd: the integer's size is that of the operand. */
function fromGeneral(name: string): LiftFn {
  return (l) => {
    const size = l.size(1);
    const value = l.read(1);
    writeVector(l, 0, l.b.op(`${name}_${size * 8}`, readRegister(l, l.insn.register(0)), value));
  };
}

/** cvtss2si and family: the size of the result is that of the register. */
function toGeneral(name: string): LiftFn {
  return (l) => {
    const info = l.gpr(l.insn.register(0));
    l.writeGpr(info, l.b.op(`${name}_${info.bytes * 8}`, vectorSource(l, 1)));
  };
}

const KEEP_UPPER = laneMask(8, [2, 1]);

/** cvtpi2ps: two integers into the low half. */
function mmxToSingles(l: Lift): void {
  const { b } = l;
  const converted = b.op('sse.cvtdq2ps', vectorSource(l, 1));
  writeVector(l, 0, shuffle(b, readRegister(l, l.insn.register(0)), converted, KEEP_UPPER));
}

/**
 * cvtps2pi, cvtpd2pi and family: from the low half only for singles, so the upper one must not raise
 * anything. MMX takes the x87 over even if the conversion then traps: hence the read.
 */
function toMmx(name: string, source: 'singles' | 'doubles'): LiftFn {
  return (l) => {
    const { b } = l;
    const y = vectorSource(l, 1);
    b.opImm('mmx.get', mmxNumber(l.insn.register(0)));
    const low = source === 'doubles' ? y : b.op('i64x2.replace_lane.0', zeroVector(b), b.op('i64x2.extract_lane.0', y));
    writeVector(l, 0, b.op(name, low));
  };
}

export const SSE_FLOAT_CONVERT: Family = vectorFamily([
  [Mnemonic.Cvtsi2ss, fromGeneral('sse.cvtsi2ss')],
  [Mnemonic.Cvtsi2sd, fromGeneral('sse.cvtsi2sd')],
  [Mnemonic.Cvtss2si, toGeneral('sse.cvtss2si')],
  [Mnemonic.Cvttss2si, toGeneral('sse.cvttss2si')],
  [Mnemonic.Cvtsd2si, toGeneral('sse.cvtsd2si')],
  [Mnemonic.Cvttsd2si, toGeneral('sse.cvttsd2si')],
  [Mnemonic.Cvtss2sd, scalar('sse.cvtss2sd')],
  [Mnemonic.Cvtsd2ss, scalar('sse.cvtsd2ss')],
  [Mnemonic.Cvtdq2ps, vector('sse.cvtdq2ps')],
  [Mnemonic.Cvtdq2pd, vector('sse.cvtdq2pd')],
  [Mnemonic.Cvtps2dq, vector('sse.cvtps2dq')],
  [Mnemonic.Cvttps2dq, vector('sse.cvttps2dq')],
  [Mnemonic.Cvtpd2dq, vector('sse.cvtpd2dq')],
  [Mnemonic.Cvttpd2dq, vector('sse.cvttpd2dq')],
  [Mnemonic.Cvtps2pd, vector('sse.cvtps2pd')],
  [Mnemonic.Cvtpd2ps, vector('sse.cvtpd2ps')],
  [Mnemonic.Cvtpi2ps, mmxToSingles],
  [Mnemonic.Cvtpi2pd, vector('sse.cvtdq2pd')],
  [Mnemonic.Cvtps2pi, toMmx('sse.cvtps2dq', 'singles')],
  [Mnemonic.Cvttps2pi, toMmx('sse.cvttps2dq', 'singles')],
  [Mnemonic.Cvtpd2pi, toMmx('sse.cvtpd2dq', 'doubles')],
  [Mnemonic.Cvttpd2pi, toMmx('sse.cvttpd2dq', 'doubles')],
]);
