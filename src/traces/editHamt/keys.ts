/** Which keys are the same: by value for plain data, so that tuples and records can be keys. */
import { UserError } from '../../base/errors.js';

/** How to tell keys apart. Equal keys must have equal hashes. */
export interface Keys<K> {
  /** A 32-bit number. */
  hash(key: K): number;
  equals(a: K, b: K): boolean;
}

/** An object that stands for another value when it is a key. */
interface HasKey {
  toKey(): unknown;
}

/**
 * Strings, numbers, bigints, booleans, null, undefined and symbols; arrays and plain objects of such; and objects that
 * stand for one of these: by `toKey`, or by a primitive `valueOf`, as the values of a program do.
 */
export const plainKeys: Keys<unknown> = { hash: hashOf, equals: areEqual };

function hashOf(key: unknown): number {
  switch (typeof key) {
    case 'number':
      return Number.isInteger(key) ? mixed(key ^ Math.imul(Math.trunc(key / 2 ** 32), 0x9e3779b1)) : hashText(String(key));
    case 'string':
      return hashText(key);
    case 'bigint':
      return mixed(Number(BigInt.asIntN(32, key)) ^ Math.imul(Number(BigInt.asIntN(32, key >> 32n)), 0x9e3779b1) ^ 0x5bd1e995);
    case 'object':
      return key === null ? 1 : hashObject(key);
    case 'function':
      throw new UserError('a function cannot be a key');
    default:
      return hashText(`${typeof key} ${String(key)}`);
  }
}

function hashObject(key: object): number {
  const meant = meaningOf(key);
  if (!Object.is(meant, key)) return hashOf(meant);
  if (Array.isArray(key)) return key.reduce<number>((hash, element) => mixed(Math.imul(hash, 31) + hashOf(element)), key.length + 2);
  // Objects with a class of their own say by `toKey` what makes them the same: we do not guess.
  if (!isPlain(key)) throw new UserError(`a ${key.constructor.name} cannot be a key: take a field of it, or give it a method toKey()`);
  // Fields have no order: the sum has none either.
  return Object.entries(key).reduce((sum, [name, value]) => (sum + mixed(Math.imul(hashText(name), 31) + hashOf(value))) | 0, 3);
}

function areEqual(a: unknown, b: unknown): boolean {
  if (a === b || (a !== a && b !== b)) return true;
  const [x, y] = [meaningOf(a), meaningOf(b)];
  if (!Object.is(x, a) || !Object.is(y, b)) return areEqual(x, y);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((element, i) => areEqual(element, b[i]));
  if (!isPlain(a) || !isPlain(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && areEqual(a[name], b[name]));
}

/** What a key stands for: itself, mostly. */
function meaningOf(key: unknown): unknown {
  if (hasKey(key)) return key.toKey();
  if (typeof key !== 'object' || key === null || Array.isArray(key) || isPlain(key)) return key;
  const value: unknown = key.valueOf();
  return typeof value === 'object' || typeof value === 'function' ? key : value;
}

function hasKey(key: unknown): key is HasKey {
  return typeof key === 'object' && key !== null && 'toKey' in key && typeof key.toKey === 'function';
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** FNV-1a over UTF-16 units. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash);
}

/** Spreads bits: neighbouring numbers get far from each other (the finaliser of MurmurHash3). */
function mixed(n: number): number {
  let hash = n | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
