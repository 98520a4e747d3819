/**
 * The slow path of accesses, and looking out for those to watched memory (machine/watch.ts).
 *
 * The tables that every access looks at are closed for pages with watched bytes: code that meets none of these pages
 * runs as if nothing were watched. Behind them are the tables that say what may really be accessed, one with a byte for
 * every 64 bytes of memory, where compiled code looks next if it often comes there (accessChecks.ts), and one with a
 * bit for every byte. An access that meets a watched byte is refused unless JavaScript admits it; then its instruction
 * is interpreted alone and its accesses are noted.
 */
import { FAULT_ADDRESS, FAULT_INFO } from '../layout/cpuState.js';
import {
  ENTRY_REACH, GUEST_BASE, KEEPS_REAL_TABLES, READ_TABLE, REAL_READ_TABLE, REAL_WRITE_TABLE, STATE_BASE, WATCHED_LINE, WATCHED_LINES, WATCHED_READS, WATCHED_WRITES, WRITE_TABLE,
} from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import type { HelperDef } from './emit.js';
import { emitOffset, emitTableIndex, emitViewCheck } from './memoryAccess.js';

/** What the last argument of mem.slow says of the access. */
export const SLOW = {
  WRITE: 1,
  /** Nothing is accessed yet. Only the interpreter says so. */
  PROBE: 2,
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

/**
 * mem.slow(address, bytes, flags) -> 1 if the access may proceed directly in linear memory, 0 if it faults or is
 * refused (FAULT_ADDRESS and FAULT_INFO are then set). If the tables do not allow it, asks JavaScript.
 */
const MEMORY_SLOW: HelperDef = {
  name: 'mem.slow',
  params: ['i64', 'i32', 'i32'],
  results: ['i32'],
  build(code, helper) {
    const [address, bytes, flags] = [0, 1, 2];
    const index = code.local('i32', 'index');
    const watched = code.local('i32', 'watched');
    const has = (flag: number): Code => code.get(flags).i32(flag).op('i32.and');
    const isOpen = (read: number, write: number): Code => {
      code.get(index).i32(write).i32(read);
      has(SLOW.WRITE).select().op('i32.add').mem('i64.load', 0, 3);
      return code.get(address).get(bytes).op('i64.extend_i32_u').op('i64.add').op('i64.sub').i64num(ENTRY_REACH).op('i64.lt_u');
    };
    emitTableIndex(code, address);
    code.set(index);
    isOpen(READ_TABLE, WRITE_TABLE).if_();
    code.i32(1).ret();
    code.end();
    const pushTable = (): void => {
      code.i32(WRITE_TABLE).i32(READ_TABLE);
      has(SLOW.WRITE).select();
    };
    emitViewCheck(code, address, () => code.get(bytes).op('i64.extend_i32_u'), pushTable, index);
    code.op('i32.eqz').if_();
    code.i32(1).ret();
    code.end();
    emitTableIndex(code, address);
    code.set(index);
    code.i32(0).mem('i32.load', KEEPS_REAL_TABLES, 2).if_();
    code.get(address).get(bytes).i32(WRITE_BITS).i32(READ_BITS);
    has(SLOW.WRITE).select().call(helper('watch.meets')).set(watched);
    isOpen(REAL_READ_TABLE, REAL_WRITE_TABLE).get(watched).op('i32.eqz').op('i32.and').if_();
    code.i32(1).ret();
    code.end();
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

export const MEMORY_HELPERS: readonly HelperDef[] = [MEMORY_SLOW, MEETS];
