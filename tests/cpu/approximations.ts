/**
 * Instructions whose result the architecture only bounds: the reciprocal approximations of SSE
 * (relative error below 1.5 * 2^-12) and the transcendental functions of the x87 (below 1 ulp, on
 * CPUs that keep the promise). Two answers that are close enough count as equal.
 */
export interface Approximation {
  readonly vector?: (cpu: Uint8Array, engine: Uint8Array) => boolean;
  readonly extended?: (cpu: Uint8Array, engine: Uint8Array) => boolean;
  /** Bits of the x87 status word that tell how the result was rounded. */
  readonly ignoredStatus?: number;
}

const RECIPROCAL_TOLERANCE = 2 ** -10.4;
/** In units of the last of 64 bits. */
const EXTENDED_TOLERANCE = 4n;
const C1 = 0x200;

const RECIPROCAL: Approximation = { vector: vectorIsClose };
const TRANSCENDENTAL: Approximation = { extended: extendedIsClose, ignoredStatus: C1 };

const APPROXIMATIONS: ReadonlyMap<string, Approximation> = new Map([
  ...['rcpps', 'rcpss', 'rsqrtps', 'rsqrtss'].map((name) => [name, RECIPROCAL] as const),
  ...['fsin', 'fcos', 'fsincos', 'fptan', 'fpatan', 'f2xm1', 'fyl2x', 'fyl2xp1'].map((name) => [name, TRANSCENDENTAL] as const),
]);

export function approximation(mnemonic: string): Approximation | undefined {
  return APPROXIMATIONS.get(mnemonic);
}

function vectorIsClose(cpu: Uint8Array, engine: Uint8Array): boolean {
  const a = new DataView(cpu.buffer, cpu.byteOffset, 16);
  const b = new DataView(engine.buffer, engine.byteOffset, 16);
  for (let i = 0; i < 16; i += 4) {
    if (a.getUint32(i, true) === b.getUint32(i, true)) continue;
    const x = a.getFloat32(i, true);
    const y = b.getFloat32(i, true);
    if (!(Number.isFinite(x) && Math.abs(x - y) <= Math.abs(x) * RECIPROCAL_TOLERANCE)) return false;
  }
  return true;
}

function extendedIsClose(cpu: Uint8Array, engine: Uint8Array): boolean {
  const a = new DataView(cpu.buffer, cpu.byteOffset, 10);
  const b = new DataView(engine.buffer, engine.byteOffset, 10);
  if (((a.getUint16(8, true) ^ b.getUint16(8, true)) & 0x8000) !== 0) return false;
  const difference = ordinal(a) - ordinal(b);
  return difference <= EXTENDED_TOLERANCE && difference >= -EXTENDED_TOLERANCE;
}

/** Neighbouring numbers have neighbouring ordinals. */
function ordinal(value: DataView): bigint {
  return (BigInt(value.getUint16(8, true) & 0x7fff) << 63n) + (value.getBigUint64(0, true) & ((1n << 63n) - 1n));
}
