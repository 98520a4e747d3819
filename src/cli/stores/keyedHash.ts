/**
 * SipHash-2-4: who does not know the key cannot make bytes that have a given hash, nor does damage leave it as it is.
 * Node's crypto has others, but loading that takes longer than hashing what most programs have stored; so this is a
 * small WebAssembly function.
 */
import { type Code } from '../../wasm/code.js';
import { ModuleBuilder } from '../../wasm/module.js';

export const KEY_BYTES = 16;
export const HASH_BYTES = 8;

const WORD = 8;
const WASM_PAGE = 64 * 1024;
/** How much is looked at at once. */
const ROOM_PAGES = 4;
const ROOM = ROOM_PAGES * WASM_PAGE;
const ROUNDS = 2;
const LAST_ROUNDS = 4;
const [ADD, XOR, ROTATE] = ['i64.add', 'i64.xor', 'i64.rotl'] as const;
/** What the state begins with, before the key is mixed in. */
const BEGIN = [0x736f_6d65_7073_6575n, 0x646f_7261_6e64_6f6dn, 0x6c79_6765_6e65_7261n, 0x7465_6462_7974_6573n] as const;

interface Hasher {
  begin(first: bigint, second: bigint): void;
  /** So many bytes of memory, in whole words. */
  absorb(bytes: number): void;
  finish(): bigint;
}

/** One round on the four words of the state, which are locals. */
function writeRound(code: Code, [a, b, c, d]: readonly [number, number, number, number]): void {
  const addRotateXor = (to: number, from: number, bits: bigint): void => {
    code.get(to).get(from).op(ADD).set(to);
    code.get(from).i64(bits).op(ROTATE).get(to).op(XOR).set(from);
  };
  const swap = (word: number): void => void code.get(word).i64(32n).op(ROTATE).set(word);
  addRotateXor(a, b, 13n);
  swap(a);
  addRotateXor(c, d, 16n);
  addRotateXor(a, d, 21n);
  addRotateXor(c, b, 17n);
  swap(c);
}

function buildModule(): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory('env', 'memory', ROOM_PAGES, ROOM_PAGES);
  const state = BEGIN.map(() => module.global('i64', true, 0n)) as [number, number, number, number];
  const loaded = (code: Code): [number, number, number, number] => state.map((word) => {
    const local = code.local('i64');
    code.globalGet(word).set(local);
    return local;
  }) as [number, number, number, number];

  const begin = module.func('begin', ['i64', 'i64'], []);
  state.forEach((word, i) => begin.get(i % 2).i64(BEGIN[i] as bigint).op(XOR).globalSet(word));

  const absorb = module.func('absorb', ['i32'], []);
  const [at, message] = [absorb.local('i32'), absorb.local('i64')];
  const words = loaded(absorb);
  const [first, , , last] = words;
  const again = absorb.loop();
  absorb.get(at).mem('i64.load', 0).tee(message).get(last).op(XOR).set(last);
  for (let round = 0; round < ROUNDS; round++) writeRound(absorb, words);
  absorb.get(first).get(message).op(XOR).set(first);
  absorb.get(at).i32(WORD).op('i32.add').tee(at).get(0).op('i32.lt_u').brIf(again).end();
  words.forEach((local, i) => absorb.get(local).globalSet(state[i] as number));

  const finish = module.func('finish', [], ['i64']);
  const ending = loaded(finish);
  finish.get(ending[2]).i64(0xffn).op(XOR).set(ending[2]);
  for (let round = 0; round < LAST_ROUNDS; round++) writeRound(finish, ending);
  finish.get(ending[0]).get(ending[1]).op(XOR).get(ending[2]).op(XOR).get(ending[3]).op(XOR);

  for (const [name, code] of Object.entries({ begin, absorb, finish })) module.exportFunc(name, code.index);
  return module.build();
}

let made: { readonly hasher: Hasher; readonly room: Uint8Array } | undefined;

function hasherAndRoom(): NonNullable<typeof made> {
  if (made !== undefined) return made;
  const memory = new WebAssembly.Memory({ initial: ROOM_PAGES, maximum: ROOM_PAGES });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(buildModule()), { env: { memory } });
  made = { hasher: exports as unknown as Hasher, room: new Uint8Array(memory.buffer) };
  return made;
}

/** Of all parts as if they were one; each but the last has to have whole words (8 bytes). */
export function keyedHash(key: Uint8Array, parts: readonly Uint8Array[]): bigint {
  const { hasher, room } = hasherAndRoom();
  const words = new DataView(key.buffer, key.byteOffset, KEY_BYTES);
  hasher.begin(words.getBigUint64(0, true), words.getBigUint64(WORD, true));
  let length = 0;
  let rest = new Uint8Array();
  for (const part of parts) {
    length += part.length;
    const whole = part.length - (part.length % WORD);
    for (let at = 0; at < whole; at += ROOM) {
      const piece = part.subarray(at, Math.min(at + ROOM, whole));
      room.set(piece);
      hasher.absorb(piece.length);
    }
    rest = part.slice(whole);
  }
  room.fill(0, 0, WORD);
  room.set(rest);
  room[WORD - 1] = length & 0xff;
  hasher.absorb(WORD);
  return BigInt.asUintN(64, hasher.finish());
}
