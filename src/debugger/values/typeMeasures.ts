/** How types are laid out in memory. */
import { strip, type Type } from '../../dwarf/types.js';

const DEEPEST = 32;

/** What addresses of values of a type are multiples of. */
export function typeAlignment(type: Type, depth = 0): number {
  const plain = strip(type);
  if (depth > DEEPEST) return 1;
  if (plain.kind === 'array') return plain.isVector ? plain.size : typeAlignment(plain.element, depth + 1);
  if (plain.kind === 'struct') return Math.max(1, ...plain.members.filter((m) => !m.isStatic).map((m) => typeAlignment(m.type, depth + 1)), ...plain.bases.map((b) => typeAlignment(b.type, depth + 1)));
  return Math.max(1, plain.size);
}
