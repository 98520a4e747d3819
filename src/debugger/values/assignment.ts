/** Writing to where a value lives: memory, registers, pieces, bit fields, variables of the debugger's. */
import { cast } from './casts.js';
import { fail } from './expressionError.js';
import type { ValueHistory } from './history.js';
import { registerName } from './registers.js';
import { toInteger } from './scalars.js';
import { COMPUTED, fromBytes, toBytes, Value } from './value.js';

/** Assigns and returns the value that is there then. */
export function assign(target: Value, value: Value, history: ValueHistory, warn: (text: string) => void = () => {}): Value {
  const { place } = target;
  if (place.kind === 'computed') return fail('Left operand of assignment is not an lvalue.');
  if (place.kind === 'convenience' && place.offset === 0 && isWhole(target, history, place.name)) return history.set(place.name, value);
  const converted = value.type === target.type ? value : cast(target.type, value);
  const bytes = target.bits === undefined ? converted.bytes : withBits(target, converted, warn);
  store(target, bytes, history);
  return new Value(target.around, target.type, place, { bytes }, target.bits);
}

function isWhole(target: Value, history: ValueHistory, name: string): boolean {
  const known = history.variable(name);
  return known === undefined || known.type === target.type;
}

/** The bytes around a bit field with its bits exchanged. */
function withBits(target: Value, value: Value, warn: (text: string) => void): Uint8Array {
  const bits = target.bits;
  if (bits === undefined) return value.bytes;
  const number = toInteger(value);
  const mask = (1n << BigInt(bits.size)) - 1n;
  if (BigInt.asUintN(bits.size, number) !== number && BigInt.asIntN(bits.size, number) !== BigInt.asIntN(64, number)) warn(`Value does not fit in ${bits.size} bits.`);
  const old = fromBytes(target.bytes);
  const shifted = (number & mask) << BigInt(bits.offset);
  return toBytes((old & ~(mask << BigInt(bits.offset))) | shifted, target.bytes.length);
}

function store(target: Value, bytes: Uint8Array, history: ValueHistory): void {
  const { place, around } = target;
  switch (place.kind) {
    case 'memory': return around.writeMemory(place.address, bytes);
    case 'register': return writeRegister(target, place.name, place.offset, bytes);
    case 'convenience': return storeInVariable(history, place.name, place.offset, bytes);
    case 'located': return storeLocated(target, bytes);
    case 'computed': return fail('Left operand of assignment is not an lvalue.');
  }
}

/** Bytes of a register; writing its low half clears nothing else: gdb writes just these. */
function writeRegister({ around }: Value, name: string, offset: number, bytes: Uint8Array): void {
  const old = around.register(name) ?? fail(`Register ${name} is not available.`);
  const mask = ((1n << BigInt(bytes.length * 8)) - 1n) << BigInt(offset * 8);
  around.writeRegister(name, (old & ~mask) | ((fromBytes(bytes) << BigInt(offset * 8)) & mask));
}

function storeLocated(target: Value, bytes: Uint8Array): void {
  const { place } = target;
  if (place.kind !== 'located') return;
  if (place.location.kind === 'optimisedOut') return fail('value has been optimized out');
  if (place.location.kind !== 'register') return fail('Cannot assign to a value that is in several places.');
  const name = registerName(place.location.register);
  if (name === undefined || place.frame.level > 0) return fail('Cannot assign to a register of a frame that has called another one.');
  writeRegister(target, name, place.offset, bytes);
}

function storeInVariable(history: ValueHistory, name: string, offset: number, bytes: Uint8Array): void {
  const variable = history.variable(name) ?? fail(`Convenience variable $${name} is void.`);
  const changed = new Uint8Array(variable.bytes);
  changed.set(bytes, offset);
  history.set(name, new Value(variable.around, variable.type, COMPUTED, { bytes: changed }));
}
