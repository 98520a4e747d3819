/** Strings that pointers point to: up to the NUL, the limit, or the end of what can be read. */
import type { Surroundings } from '../surroundings.js';
import { fromBytes } from '../value.js';
import { stringText, type CharacterPrefix } from './characters.js';
import type { PrintSettings } from './settings.js';

const CHUNK = 64n;
/** Even without a limit. */
const LONGEST = 1 << 20;

interface FetchedString {
  readonly units: readonly number[];
  /** Whether it ended with a NUL, which is not among the units. */
  readonly isTerminated: boolean;
  /** Whether memory ended before the string did. */
  readonly isUnreadable: boolean;
}

export function fetchString(around: Surroundings, address: bigint, size: number, most: number): FetchedString {
  const units: number[] = [];
  const limit = Math.min(most, LONGEST);
  for (let at = address; units.length < limit;) {
    const bytes = readable(around, at, size);
    if (bytes === undefined) return { units, isTerminated: false, isUnreadable: true };
    for (let i = 0; i + size <= bytes.length && units.length < limit; i += size) {
      const unit = Number(fromBytes(bytes.subarray(i, i + size)));
      if (unit === 0) return { units, isTerminated: true, isUnreadable: false };
      units.push(unit);
    }
    at += BigInt(bytes.length);
  }
  return { units, isTerminated: false, isUnreadable: false };
}

/** Up to the end of a chunk, or one unit if not all of that can be read. */
function readable(around: Surroundings, address: bigint, size: number): Uint8Array | undefined {
  const toEnd = CHUNK - (address % CHUNK);
  const whole = Number(toEnd - (toEnd % BigInt(size)));
  return (whole > 0 ? around.memory(address, whole) : undefined) ?? around.memory(address, size);
}

/** Whether the NUL comes right after what was wanted. */
function endsThere(around: Surroundings, address: bigint, size: number, count: number): boolean {
  return around.memory(address + BigInt(count * size), size)?.every((byte) => byte === 0) === true;
}

/** With quotes; an error after what could be read. */
export function stringAt(around: Surroundings, address: bigint, size: number, prefix: CharacterPrefix, settings: PrintSettings): string {
  const { units, isTerminated, isUnreadable } = fetchString(around, address, size, settings.elements);
  if (isUnreadable) {
    const message = `<error: Cannot access memory at address 0x${(address + BigInt(units.length * size)).toString(16)}>`;
    return units.length === 0 ? message : `${stringText(units, size, prefix, settings, false)}${message}`;
  }
  return stringText(units, size, prefix, settings, !isTerminated && units.length > 0 && !endsThere(around, address, size, units.length));
}
