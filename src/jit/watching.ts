/**
 * Looking out for accesses to watched memory (machine/watch.ts), in generated code that is made for it.
 *
 * A table says which pages are watched at all: one more load in the check that every access, or group of accesses,
 * makes anyway. Another one has a byte for every 64 bytes; compiled code looks there next. What fails comes to mem.slow, which looks at the very bytes, of which each has a bit. An access that
 * meets one is refused unless JavaScript admits it; then its instruction is interpreted alone and its accesses are noted.
 */
import { FAULT_ADDRESS, FAULT_INFO } from '../layout/cpuState.js';
import { ENTRY_REACH, GUEST_BASE, READ_TABLE, STATE_BASE, WATCHED_LINE, WATCHED_LINES, WATCHED_PAGES, WATCHED_READS, WATCHED_WRITES, WRITE_TABLE } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import type { HelperDef } from './emit.js';
import { FAULT_NEAR_WATCHED } from './exits.js';
import { WATCHFUL_ROOM } from './helpers/strings.js';
import { emitOffset, emitTableIndex } from './memoryAccess.js';

/** What the last argument of mem.slow says of the access. All but WRITE are only known where memory is watched. */
export const SLOW = {
  WRITE: 1,
  /** Nothing is accessed yet. Only the interpreter says so; compiled code may not proceed in either case. */
  PROBE: 2,
  /** Do not ask JavaScript: what cannot be done at once is refused. */
  LOOK: 4,
  /** With WRITE: reads are meant, too. */
  BOTH: 8,
} as const;

/** From the linear offset of a guest byte / 8 to the byte with its bit. */
const WRITE_BITS = WATCHED_WRITES - GUEST_BASE / 8;
const READ_BITS = WATCHED_READS - GUEST_BASE / 8;
/** From its linear offset / 64 to the byte of its line. */
const LINES = WATCHED_LINES - GUEST_BASE / WATCHED_LINE;

/**
 * Leaves if the access of up to 16 bytes at the linear offset in local `linear` meets watched bytes. `leaveIf` takes
 * a condition from the stack; `word` is a scratch local.
 */
export function emitWatchTest(code: Code, linear: number, bytes: number, write: boolean, word: number, leaveIf: () => void): void {
  // 32 bits from those of the first eight bytes on: they are zero nearly always.
  code.get(linear).i32(3).op('i32.shr_u').mem('i32.load', write ? WRITE_BITS : READ_BITS).tee(word).hint(false).if_();
  code.get(word).get(linear).i32(7).op('i32.and').op('i32.shr_u').i32(2 ** bytes - 1).op('i32.and');
  leaveIf();
  code.end();
}

/** Pushes 1 if a line is watched on which one of `bytes` from the address in an i64 local on may lie. */
export function emitLinesTest(code: Code, address: number, bytes: number): void {
  const linesAtOnce = 8;
  const looks = Math.ceil((bytes + WATCHED_LINE - 1) / (WATCHED_LINE * linesAtOnce));
  for (let i = 0; i < looks; i++) {
    emitOffset(code, address);
    code.i32(Math.log2(WATCHED_LINE)).op('i32.shr_u').mem('i64.load', LINES + i * linesAtOnce);
    if (i > 0) code.op('i64.or');
  }
  code.i64num(0).op('i64.ne');
}

/** mem.slow where memory may be watched: what only looks leaves word in FAULT_INFO whether it was for that reason. */
const MEMORY_SLOW: HelperDef = {
  name: 'mem.slow',
  params: ['i64', 'i32', 'i32'],
  results: ['i32'],
  build(code, helper) {
    const [address, bytes, flags] = [0, 1, 2];
    const index = code.local('i32', 'index');
    const allowed = code.local('i32', 'allowed');
    const watched = code.local('i32', 'watched');
    const has = (flag: number): Code => code.get(flags).i32(flag).op('i32.and');
    emitTableIndex(code, address);
    code.tee(index).i32(WRITE_TABLE).i32(READ_TABLE);
    has(SLOW.WRITE).select().op('i32.add').mem('i64.load', 0, 3);
    code.get(address).get(bytes).op('i64.extend_i32_u').op('i64.add').op('i64.sub').i64num(ENTRY_REACH).op('i64.lt_u').set(allowed);
    code.get(index).mem('i64.load', WATCHED_PAGES, 3).i64num(0).op('i64.ne').if_();
    code.get(address).get(bytes).i32(WRITE_BITS).i32(READ_BITS);
    has(SLOW.WRITE).select().call(helper('watch.meets')).set(watched);
    has(SLOW.BOTH).if_();
    code.get(address).get(bytes).i32(READ_BITS).call(helper('watch.meets')).get(watched).op('i32.or').set(watched);
    code.end();
    code.end();
    code.get(allowed).get(watched).op('i32.eqz').op('i32.and').if_();
    code.i32(1).ret();
    code.end();
    has(SLOW.LOOK).if_();
    code.i32(STATE_BASE).i32(FAULT_NEAR_WATCHED).i32(0).get(watched).select().mem('i32.store', FAULT_INFO.offset, 2);
    code.i32(0).ret();
    code.end();
    code.i32(STATE_BASE).get(address).mem('i64.store', FAULT_ADDRESS.offset, 3);
    code.i32(STATE_BASE).get(bytes);
    // FAULT_WRITE, FAULT_WATCHED and FAULT_PROBE.
    has(SLOW.WRITE).i32(16).op('i32.shl').op('i32.or');
    code.get(watched).i32(17).op('i32.shl').op('i32.or');
    has(SLOW.PROBE).i32(17).op('i32.shl').op('i32.or').mem('i32.store', FAULT_INFO.offset, 2);
    code.call(helper('js.resolve'));
  },
};

/** watch.meets(address, bytes, bits) -> 1 if one of the bytes has its bit set. */
const MEETS: HelperDef = {
  name: 'watch.meets',
  params: ['i64', 'i32', 'i32'],
  results: ['i32'],
  build(code) {
    const [address, bytes, bits] = [0, 1, 2];
    const first = code.local('i32', 'first');
    const last = code.local('i32', 'last');
    const at = code.local('i32', 'at');
    const end = code.local('i32', 'end');
    const word = code.local('i64', 'word');
    emitOffset(code, address);
    code.tee(first).get(bytes).op('i32.add').i32(1).op('i32.sub').set(last);
    // Such an access fails anyway, but the loop must end.
    code.get(last).get(first).op('i32.lt_u').if_();
    code.i32(-1).set(last);
    code.end();
    const wordOf = (byte: number): Code => code.get(byte).i32(6).op('i32.shr_u').i32(3).op('i32.shl').get(bits).op('i32.add');
    wordOf(first).set(at);
    wordOf(last).set(end);
    code.get(at).mem('i64.load', 0, 3).i64num(-1).get(first).op('i64.extend_i32_u').op('i64.shl').op('i64.and').set(word);
    const next = code.loop();
    code.get(at).get(end).op('i32.eq').if_();
    code.get(word).i64num(-1).i64num(-1).get(last).op('i64.extend_i32_u').op('i64.sub').op('i64.shr_u').op('i64.and').i64num(0).op('i64.ne').ret();
    code.end();
    code.get(word).i64num(0).op('i64.ne').if_();
    code.i32(1).ret();
    code.end();
    code.get(at).i32(8).op('i32.add').tee(at).mem('i64.load', 0, 3).set(word).br(next);
    code.end();
    code.unreachable();
  },
};

/** In place of the helpers of the same names. */
export const WATCHING_HELPERS: ReadonlyMap<string, HelperDef> = new Map([MEMORY_SLOW, WATCHFUL_ROOM].map((def) => [def.name, def]));
/** What these call; not in the function table. */
export const WATCHING_PARTS: readonly HelperDef[] = [MEETS];
