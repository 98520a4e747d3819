/** Types whose size is known only where the program stands: arrays of variable length become arrays of some length. */
import { locationBytes } from '../../dwarf/locationBytes.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import { strip, type ArrayType, type Type } from '../../dwarf/types.js';
import { arrayOf, pointerTo, qualified } from './madeTypes.js';

const DEEPEST = 16;
const LARGEST_COUNT = 2n ** 48n;

/** The type as it is in that frame; itself if nothing about it depends on the frame. */
export function resolved(type: Type, frame: StackFrame | undefined, depth = 0): Type {
  if (frame === undefined || depth > DEEPEST) return type;
  const plain = strip(type);
  if (plain.kind === 'pointer') return resolvedPointer(type, plain.to, frame, depth);
  if (plain.kind !== 'array' || !isDynamic(plain, 0)) return type;
  const made = arrayOf(resolved(plain.element, frame, depth + 1), plain.dimension.dynamic === undefined ? plain.count : dynamicCount(plain, frame));
  return type.kind === 'qualified' ? qualified(type.qualifier, made) : made;
}

function resolvedPointer(type: Type, to: Type, frame: StackFrame, depth: number): Type {
  const target = strip(to);
  if (target.kind !== 'array' || !isDynamic(target, 0)) return type;
  const made = pointerTo(resolved(to, frame, depth + 1));
  return type.kind === 'qualified' ? qualified(type.qualifier, made) : made;
}

function isDynamic(type: ArrayType, depth: number): boolean {
  if (type.dimension.dynamic !== undefined) return true;
  const element = depth > DEEPEST ? undefined : strip(type.element);
  return element?.kind === 'array' && isDynamic(element, depth + 1);
}

function dynamicCount(type: ArrayType, frame: StackFrame): number | undefined {
  const { dynamic, lower } = type.dimension;
  if (dynamic === undefined) return type.count;
  const location = frame.resolve(dynamic.whereabouts(frame.address));
  const bytes = locationBytes(location, 8, frame);
  if (bytes.kind !== 'bytes') return undefined;
  const bound = BigInt.asIntN(64, bytes.bytes.reduceRight((sum: bigint, byte) => (sum << 8n) | BigInt(byte), 0n));
  const count = dynamic.isCount ? bound : bound - BigInt(lower) + 1n;
  return count >= 0n && count <= LARGEST_COUNT ? Number(count) : undefined;
}
