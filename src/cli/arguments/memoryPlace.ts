/** Places in memory as users name them: NAME, NAME:BYTES, NAME+OFFSET:BYTES, 0xADDRESS:BYTES. */
import { UserError } from '../../base/errors.js';
import { guestAddr } from '../../base/types.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { StoredModules } from '../../replay/play/storedModules.js';
import { type MemoryRange, memoryRange } from '../../replay/timeline/conditions.js';

/** Of an address without a size. */
const DEFAULT_SIZE = 8;

export function memoryPlace(what: string, modules: StoredModules, space: AddressSpace | undefined): MemoryRange {
  const [name = '', size] = what.split(':');
  if (size !== undefined && !/^[1-9]\d*$/.test(size)) throw new UserError(`${what}: not a number of bytes: ${size}`);
  if (/^0x[0-9a-f]+$/i.test(name)) return memoryRange(guestAddr(Number(name)), Number(size ?? DEFAULT_SIZE));
  const [, base = name, offset = '0'] = /^(.+)\+(0x[0-9a-f]+|\d+)$/i.exec(name) ?? [];
  const symbol = space === undefined ? undefined : modules.find(space, base);
  if (symbol === undefined) throw new UserError(`${base}: no such symbol in the recorded program; give an address (0x...) and a size (:8)`);
  const start = guestAddr(symbol.address + Number(offset));
  return memoryRange(start, Number(size ?? Math.max(1, symbol.size - Number(offset))));
}
