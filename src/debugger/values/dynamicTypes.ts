/** Types whose size is known only where the program stands: arrays of variable length become arrays of some length. */
import type { Location } from '../../dwarf/location.js';
import { locationBytes } from '../../dwarf/locationBytes.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import { strip, type ArrayType, type Type } from '../../dwarf/types.js';
import { arrayOf, qualified } from './madeTypes.js';

const DEEPEST = 16;
const LARGEST_COUNT = 2n ** 48n;

/** The type as it is in that frame; itself if nothing about it depends on the frame. */
export function resolved(type: Type, frame: StackFrame | undefined, depth = 0): Type {
  if (frame === undefined || depth > DEEPEST) return type;
  const plain = strip(type);
  if (plain.kind !== 'array' || !isDynamic(plain, 0)) return type;
  const made = arrayOf(resolved(plain.element, frame, depth + 1), plain.dimension.dynamic === undefined ? plain.count : dynamicCount(plain, frame));
  return type.kind === 'qualified' ? qualified(type.qualifier, made) : made;
}

function isDynamic(type: ArrayType, depth: number): boolean {
  if (type.dimension.dynamic !== undefined) return true;
  const element = depth > DEEPEST ? undefined : strip(type.element);
  return element?.kind === 'array' && isDynamic(element, depth + 1);
}

function numberAt(location: Location, frame: StackFrame): bigint | undefined {
  const bytes = locationBytes(location, 8, frame);
  return bytes.kind === 'bytes' ? bytes.bytes.reduceRight((sum: bigint, byte) => (sum << 8n) | BigInt(byte), 0n) : undefined;
}

function dynamicCount(type: ArrayType, frame: StackFrame): number | undefined {
  const { dynamic, lower } = type.dimension;
  if (dynamic === undefined) return type.count;
  const location = frame.resolve(dynamic.whereabouts(frame.address));
  const number = !dynamic.isVariable && location.kind === 'memory' ? location.address : numberAt(location, frame);
  if (number === undefined) return undefined;
  const bound = BigInt.asIntN(64, number);
  const count = dynamic.isCount ? bound : bound - BigInt(lower) + 1n;
  return count >= 0n && count <= LARGEST_COUNT ? Number(count) : undefined;
}
