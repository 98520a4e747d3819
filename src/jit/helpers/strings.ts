/**
 * The repeated string instructions: rep.movs, rep.stos, rep.lods, rep.cmps, rep.scas. Each takes the
 * operation's immediate (ir/repFlags.ts), works on rcx, rsi, rdi in the CPU state and returns -1 if it
 * hit a fault (the registers then say how far it got), else 0 or, for cmps and scas, what ops.ts says.
 *
 * The outer loop finds out how many elements lie on pages that may be accessed directly, does them
 * at once and updates the registers. Where a page is not that simple it does one element behind mem.slow.
 */
import { DF, FS_BASE, GS_BASE, RAX, RCX, RDI, RSI, SCRATCH_X, SCRATCH_Y, type Slot } from '../../layout/cpuState.js';
import { ENTRY_REACH, GUEST_BASE, READ_TABLE, STATE_BASE, WRITE_TABLE } from '../../layout/memoryMap.js';
import { emitTableIndex } from '../memoryAccess.js';
import { REP } from '../../ir/repFlags.js';
import type { Code } from '../../wasm/code.js';
import type { WasmOp } from '../../wasm/opcodes.js';
import type { HelperDef } from '../emit.js';

type Kind = 'movs' | 'stos' | 'lods' | 'cmps' | 'scas';

const LOADS: readonly WasmOp[] = ['i64.load8_u', 'i64.load16_u', 'i64.load32_u', 'i64.load'];
const STORES: readonly WasmOp[] = ['i64.store8', 'i64.store16', 'i64.store32', 'i64.store'];
/** Shorter distances between overlapping operands are copied element by element. */
const PIECE = 16;

/**
 * rep.room(address, log2 size, backwards, table): elements from there on that lie on its page, 0 if the page needs the
 * slow path.
 */
function buildRoom(code: Code): void {
  const [address, log, backwards, table] = [0, 1, 2, 3];
  const offset = code.local('i32', 'offset');
  emitTableIndex(code, address);
  code.get(table).op('i32.add').mem('i64.load', 0, 3);
  code.get(address).op('i64.sub').i64num(1).op('i64.sub');
  code.i64num(ENTRY_REACH).op('i64.ge_u').if_();
  code.i32(0).ret();
  code.end();
  code.get(address).op('i32.wrap_i64').i32(4095).op('i32.and').set(offset);
  code.get(backwards).if_();
  code.get(offset).get(log).op('i32.shr_u').i32(1).op('i32.add');
  code.get(offset).i32(1).get(log).op('i32.shl').op('i32.add').i32(4096).op('i32.le_u').op('i32.mul').ret();
  code.end();
  code.i32(4096).get(offset).op('i32.sub').get(log).op('i32.shr_u');
}

class RepBuilder {
  private readonly imm = 0;
  private readonly size: number;
  private readonly log: number;
  private readonly step: number;
  private readonly backwards: number;
  private readonly base: number;
  private readonly count: number;
  private readonly source: number;
  private readonly target: number;
  private readonly n: number;
  private readonly left: number;
  private readonly from: number;
  private readonly to: number;
  private readonly x: number;
  private readonly y: number;
  private readonly usesSource: boolean;
  private readonly usesTarget: boolean;
  private readonly compares: boolean;

  constructor(
    private readonly code: Code,
    private readonly helper: (name: string) => number,
    private readonly kind: Kind,
  ) {
    this.usesSource = kind === 'movs' || kind === 'lods' || kind === 'cmps';
    this.usesTarget = kind !== 'lods';
    this.compares = kind === 'cmps' || kind === 'scas';
    this.size = code.local('i32', 'size');
    this.log = code.local('i32', 'log');
    this.step = code.local('i32', 'step');
    this.backwards = code.local('i32', 'backwards');
    this.base = code.local('i64', 'base');
    this.count = code.local('i64', 'count');
    this.source = code.local('i64', 'source');
    this.target = code.local('i64', 'target');
    this.n = code.local('i32', 'n');
    this.left = code.local('i32', 'left');
    this.from = code.local('i32', 'from');
    this.to = code.local('i32', 'to');
    this.x = code.local('i64', 'x');
    this.y = code.local('i64', 'y');
  }

  build(): void {
    const { code } = this;
    this.start();
    const again = code.loop();
    this.findRoom();
    this.linear(this.source, this.from, this.usesSource);
    this.linear(this.target, this.to, this.usesTarget);
    this.work();
    this.commit();
    if (this.compares) {
      // Ended by the condition: n elements were allowed, `left` of them were not looked at.
      this.stopCondition();
      code.if_();
      this.finishCompare();
      code.end();
    }
    code.get(this.count).op('i64.eqz').op('i32.eqz').brIf(again);
    code.end();
    if (this.compares) this.finishCompare();
    code.i32(0);
  }

  private start(): void {
    const { code } = this;
    code.get(this.imm).i32(REP.SIZE_MASK).op('i32.and').tee(this.size).op('i32.ctz').set(this.log);
    this.state(DF).tee(this.backwards);
    code.if_('i32');
    code.i32(0).get(this.size).op('i32.sub');
    code.else_();
    code.get(this.size);
    code.end();
    code.set(this.step);
    this.register(RCX).tee(this.count).op('i64.eqz').if_();
    code.i32(0).ret();
    code.end();
    if (this.usesSource) {
      this.segmentBase(REP.FS, FS_BASE);
      this.segmentBase(REP.GS, GS_BASE);
      this.register(RSI).set(this.source);
    }
    if (this.usesTarget) this.register(RDI).set(this.target);
    if (this.kind === 'scas' || this.kind === 'stos') this.accumulator();
  }

  private segmentBase(bit: number, slot: Slot): void {
    this.code.get(this.imm).i32(bit).op('i32.and').if_();
    this.state(slot).set(this.base);
    this.code.end();
  }

  /** rax cut to the element size, in x. */
  private accumulator(): void {
    const { code } = this;
    this.state(RAX);
    code.i64num(-1).i64num(64).get(this.size).i32(3).op('i32.shl').op('i64.extend_i32_u').op('i64.sub').op('i64.shr_u').op('i64.and').set(this.x);
  }

  /** n = how many elements can be done at once: all that lie on good pages, or one with the help of mem.slow. */
  private findRoom(): void {
    const { code } = this;
    const room = (address: () => void, table: number): void => {
      address();
      code.get(this.log).get(this.backwards).i32(table).call(this.helper('rep.room')).set(this.left);
      code.get(this.n).get(this.left).get(this.n).get(this.left).op('i32.lt_u').select().set(this.n);
    };
    code.get(this.count).i64num(4096).get(this.count).i64num(4096).op('i64.lt_u').select().op('i32.wrap_i64').set(this.n);
    if (this.usesSource) room(() => this.sourceAddress(), READ_TABLE);
    if (this.usesTarget) room(() => code.get(this.target), this.writes() ? WRITE_TABLE : READ_TABLE);
    code.get(this.n).op('i32.eqz').if_();
    if (this.usesSource) this.slow(() => this.sourceAddress(), 0);
    if (this.usesTarget) this.slow(() => code.get(this.target), this.writes() ? 1 : 0);
    code.i32(1).set(this.n);
    code.end();
  }

  private slow(address: () => void, write: number): void {
    const { code } = this;
    address();
    code.get(this.size).i32(write).call(this.helper('mem.slow')).op('i32.eqz').if_();
    code.i32(-1).ret();
    code.end();
  }

  private writes(): boolean {
    return this.kind === 'movs' || this.kind === 'stos';
  }

  private sourceAddress(): void {
    this.code.get(this.source).get(this.base).op('i64.add');
  }

  private linear(address: number, into: number, used: boolean): void {
    if (!used) return;
    if (address === this.source) this.sourceAddress();
    else this.code.get(address);
    this.code.op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').set(into);
  }

  /** Does n elements; afterwards `left` is how many of them were not done. */
  private work(): void {
    const { code } = this;
    code.get(this.n).set(this.left);
    const done = code.block();
    if (this.kind === 'movs') this.copyAtOnce(done);
    if (this.kind === 'stos') this.fillAtOnce(done);
    this.perSize((log) => this.elements(log, done));
    code.end();
  }

  private copyAtOnce(done: number): void {
    const { code } = this;
    const distance = (): Code => code.get(this.to).get(this.from).op('i32.sub');
    const bytes = (): Code => code.get(this.n).get(this.log).op('i32.shl');
    code.get(this.backwards).op('i32.eqz').if_();
    // A target within the source sees what was just written: copy in pieces of the distance.
    distance();
    bytes().op('i32.lt_u');
    distance().i32(PIECE).op('i32.ge_u').op('i32.and').if_();
    distance().get(this.log).op('i32.shr_u').tee(this.n).set(this.left);
    code.end();
    distance();
    bytes().op('i32.ge_u').if_();
    code.get(this.to).get(this.from);
    bytes().memoryCopy();
    code.i32(0).set(this.left).br(done);
    code.end();
    code.end();
  }

  private fillAtOnce(done: number): void {
    const { code } = this;
    const bytes = (): Code => code.get(this.n).get(this.log).op('i32.shl');
    code.get(this.backwards).op('i32.eqz');
    // One byte repeated: 0 and every stosb.
    code.get(this.x).op('i64.eqz').get(this.log).op('i32.eqz').op('i32.or').op('i32.and').if_();
    code.get(this.to).get(this.x).op('i32.wrap_i64');
    bytes().memoryFill();
    code.i32(0).set(this.left).br(done);
    code.end();
  }

  /** The loop over single elements of 1 << log bytes. */
  private elements(log: number, done: number): void {
    const { code } = this;
    const load = LOADS[log] as WasmOp;
    const loop = code.loop();
    if (this.kind === 'movs') code.get(this.to).get(this.from).mem(load, 0).mem(STORES[log] as WasmOp, 0);
    else if (this.kind === 'stos') code.get(this.to).get(this.x).mem(STORES[log] as WasmOp, 0);
    else if (this.kind !== 'scas') code.get(this.from).mem(load, 0).set(this.x);
    if (this.compares) code.get(this.to).mem(load, 0).set(this.y);
    code.get(this.left).i32(1).op('i32.sub').set(this.left);
    if (this.usesSource) code.get(this.from).get(this.step).op('i32.add').set(this.from);
    if (this.usesTarget) code.get(this.to).get(this.step).op('i32.add').set(this.to);
    if (this.compares) {
      this.stopCondition();
      code.brIf(done);
    }
    code.get(this.left).brIf(loop);
    code.end();
    code.br(done);
  }

  /** Pushes 1 if the last comparison ends the repetition: equal for repne, different for repe. */
  private stopCondition(): void {
    const { code } = this;
    code.get(this.x).get(this.y).op('i64.eq');
    code.get(this.imm).i32(REP.WHILE_NOT_EQUAL).op('i32.and').i32(0).op('i32.ne').op('i32.eq');
  }

  /** Registers after the n - left elements done. */
  private commit(): void {
    const { code } = this;
    code.get(this.n).get(this.left).op('i32.sub').set(this.n);
    this.put(RCX, () => code.get(this.count).get(this.n).op('i64.extend_i32_u').op('i64.sub').tee(this.count));
    const moved = (local: number) => () => {
      code.get(local).get(this.n).get(this.step).op('i32.mul').op('i64.extend_i32_s').op('i64.add');
      this.narrow();
      code.tee(local);
    };
    if (this.usesSource) this.put(RSI, moved(this.source));
    if (this.usesTarget) this.put(RDI, moved(this.target));
    if (this.kind === 'lods') this.put(RAX, () => this.loaded());
  }

  /** rax after lods: the element in its low bytes; 4-byte ones clear the upper half. */
  private loaded(): void {
    const { code } = this;
    const mask = (): Code => code.i64num(-1).i64num(8).get(this.size).op('i64.extend_i32_u').op('i64.mul').op('i64.shl');
    code.get(this.x);
    this.state(RAX);
    mask();
    // Shifting by 64 is shifting by 0: all 8 bytes and all 4 bytes keep nothing.
    code.i64num(0).get(this.size).i32(4).op('i32.lt_u').select().op('i64.and').op('i64.or');
  }

  private finishCompare(): void {
    const { code } = this;
    this.put(SCRATCH_X, () => code.get(this.x));
    this.put(SCRATCH_Y, () => code.get(this.y));
    code.i32(1).ret();
  }

  private perSize(emit: (log: number) => void): void {
    const { code } = this;
    const labels: number[] = [];
    for (let i = 0; i < 4; i++) labels[3 - i] = code.block();
    code.get(this.log).brTable(labels, labels[3] as number);
    for (let log = 0; log < 4; log++) {
      code.end();
      emit(log);
    }
  }

  private state(slot: Slot): Code {
    return this.code.i32(STATE_BASE).mem(slot.type === 'i32' ? 'i32.load' : 'i64.load', slot.offset, slot.type === 'i32' ? 2 : 3);
  }

  private put(slot: Slot, value: () => void): void {
    this.code.i32(STATE_BASE);
    value();
    this.code.mem('i64.store', slot.offset, 3);
  }

  /** A register as the address size sees it. */
  private register(slot: Slot): Code {
    this.state(slot);
    return this.narrow();
  }

  /** Cuts the i64 on the stack to 32 bits with a 67h prefix. */
  private narrow(): Code {
    const { code } = this;
    code.i64num(-1).i64num(0xffff_ffff).get(this.imm).i32(REP.ADDRESS_32).op('i32.and').op('i32.eqz').select();
    return code.op('i64.and');
  }
}

function rep(kind: Kind): HelperDef {
  return { name: `rep.${kind}`, params: ['i32'], results: ['i32'], build: (code, helper) => new RepBuilder(code, helper, kind).build() };
}

export const STRING_HELPERS: readonly HelperDef[] = [
  { name: 'rep.room', params: ['i64', 'i32', 'i32', 'i32'], results: ['i32'], build: buildRoom },
  rep('movs'),
  rep('stos'),
  rep('lods'),
  rep('cmps'),
  rep('scas'),
];
