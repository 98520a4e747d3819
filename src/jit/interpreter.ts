/**
 * The interpreter of bytecode.ts, generated as WebAssembly from the same emitters that the compiler
 * uses: interpret(pc, stay) -> EXIT. It runs from block to block by itself and returns when
 * something needs the world outside. With `stay` it does not leave for compiled code.
 *
 * Each operation has a handler, a function of its own: (pc) -> EXIT. It fetches the operands from
 * their slots, does the operation, stores the result and tail-calls the handler of the next one.
 * Functions, because V8 compiles and optimises them one by one: one function with a case for each
 * operation was twenty times slower until V8 had optimised it, which took seconds.
 */
import { CC_OP, CC_X, CC_Y, CC_Z, FAULT_ADDRESS, FAULT_INFO, FAULT_PC, RIP, TICKS } from '../layout/cpuState.js';
import { STATE_BASE } from '../layout/memoryMap.js';
import type { OpDef } from '../ir/opDef.js';
import { OPS } from '../ir/ops.js';
import type { Code, ValType } from '../wasm/code.js';
import type { ModuleBuilder } from '../wasm/module.js';
import type { WasmOp } from '../wasm/opcodes.js';
import {
  BRANCH_LAYOUT, CONTROL, ENTER_LAYOUT, JUMP_LAYOUT, MOVE_SIZE, OPERATION_COUNT, SYSCALL_LAYOUT,
  TRAP_LAYOUT, UNKNOWN_LAYOUT, immOffset, instructionSize, operandOffset,
} from './bytecode.js';
import { ENTRY_LAYOUT, emitEntryAddress } from './blockTable.js';
import type { Emit } from './emit.js';
import { EMITTERS } from './emitters/index.js';
import { EXIT } from './exits.js';
import { emitReturnCheck } from './returnCheck.js';
import { ACCESS_OP, emitCheckOrResolve, emitOffset } from './memoryAccess.js';
import { SLOW } from './watching.js';

const PC = 0;

const LOAD: Readonly<Record<'i32' | 'i64' | 'v128', WasmOp>> = { i32: 'i32.load', i64: 'i64.load', v128: 'v128.load' };
const STORE: Readonly<Record<'i32' | 'i64' | 'v128', WasmOp>> = { i32: 'i32.store', i64: 'i64.store', v128: 'v128.store' };

/** Where the handlers go: table, and first index in it. */
interface HandlerPlace {
  readonly table: number;
  readonly first: number;
}

/** Adds the interpreter to the core module; returns the index of `interpret`. */
export function buildInterpreter(
  module: ModuleBuilder, helper: (name: string) => number, place: HandlerPlace,
): number {
  const stay = module.global('i32', true, 0);
  const type = module.type(['i32'], ['i32']);
  const handlers: number[] = [];
  for (let operation = 0; operation < OPERATION_COUNT; operation++) {
    const code = module.func(operationName(operation), ['i32'], ['i32']);
    new HandlerBuilder(code, helper, { first: place.first, type }, stay).build(operation);
    handlers.push(code.index);
  }
  const interpret = module.func('interpret', ['i32', 'i32'], ['i32']);
  module.elem(place.table, place.first, handlers);
  interpret.get(1).globalSet(stay);
  emitDispatch(interpret, { first: place.first, type });
  return interpret.index;
}

function operationName(operation: number): string {
  const control = Object.entries(CONTROL).find(([, number]) => number === operation);
  return control === undefined ? (OPS[operation] as OpDef).name : control[0];
}

/** The handlers in the function table, and their type. */
interface Handlers {
  readonly first: number;
  readonly type: number;
}

/** Leaves for the handler of the operation at pc. */
function emitDispatch(code: Code, { first, type }: Handlers): void {
  code.get(PC);
  code.get(PC).mem('i32.load16_u', 0, 1).i32(first).op('i32.add').returnCallIndirect(type);
}

class HandlerBuilder implements Emit {
  readonly knownImm = null;
  private current!: OpDef;
  private addressLocal = -1;
  private entryLocal = -1;

  constructor(
    readonly code: Code,
    readonly helper: (name: string) => number,
    private readonly handlers: Handlers,
    private readonly stay: number,
  ) {}

  build(operation: number): void {
    if (operation < OPS.length) {
      this.current = OPS[operation] as OpDef;
      this.operation(this.current);
    } else this.control(operation);
  }

  private get address(): number {
    if (this.addressLocal < 0) this.addressLocal = this.code.local('i64', 'address');
    return this.addressLocal;
  }

  private get entry(): number {
    if (this.entryLocal < 0) this.entryLocal = this.code.local('i32', 'entry');
    return this.entryLocal;
  }

  // ---- Emit

  temp(type: ValType): number {
    return this.code.local(type);
  }

  imm(): void {
    this.code.get(PC).mem('i32.load', immOffset(this.current), 2);
  }

  pushInstruction(): void {
    this.code.i32(0);
  }

  showTicks(): void {
    // They were taken off when the block began.
  }

  trap(vector: number): void {
    this.stateI32(FAULT_INFO.offset, () => this.code.i32(vector));
    this.leaveAtPc(EXIT.TRAP_INTERPRETED);
  }

  fault(): void {
    this.leaveAtPc(EXIT.FAULT);
  }

  // ---- handlers

  private operation(def: OpDef): void {
    const { code } = this;
    switch (def.effect) {
      case 'get':
      case 'set':
      case 'mark':
        code.unreachable();
        return;
      case 'load':
        this.load(def);
        break;
      case 'store':
        this.store(def);
        break;
      case 'cc':
        this.setFlags(def);
        break;
      default:
        this.compute(def);
    }
    this.advance(instructionSize(def));
  }

  private compute(def: OpDef): void {
    if (def.result !== null) this.slotAddress(2);
    def.params.forEach((type, i) => this.operand(type, i));
    this.body(def);
    if (def.result !== null) this.storeResult(def.result);
  }

  private body(def: OpDef): void {
    const { code } = this;
    if (def.wasm !== null) {
      if (def.lane >= 0) code.lane(def.wasm, def.lane);
      else if (def.name.endsWith('.select')) code.select();
      else code.op(def.wasm);
      return;
    }
    if (def.imm !== 'none' && def.params.length === 0 && def.effect === 'pure') {
      code.get(PC).mem(LOAD[def.result as 'i32'], immOffset(def));
      return;
    }
    if (def.name === 'trapIf') {
      code.if_();
      this.stateI32(FAULT_INFO.offset, () => this.imm());
      this.leaveAtPc(EXIT.TRAP_INTERPRETED);
      code.end();
      return;
    }
    const emitter = EMITTERS[def.name];
    if (emitter === undefined) {
      code.unreachable();
      return;
    }
    emitter(this);
  }

  private load(def: OpDef): void {
    const { code } = this;
    this.checkedAddress(def, false);
    this.slotAddress(2);
    emitOffset(code, this.address);
    code.mem(ACCESS_OP[def.name] as WasmOp, 0);
    this.storeResult(def.result as 'i32');
  }

  private store(def: OpDef): void {
    const { code } = this;
    if (def.name === 'probeWrite') {
      this.operand('i64', 0);
      this.imm();
      code.i32(SLOW.WRITE | SLOW.PROBE).call(this.helper('mem.slow')).op('i32.eqz').if_();
      this.fault();
      code.end();
      return;
    }
    this.checkedAddress(def, true);
    emitOffset(code, this.address);
    this.operand(def.params[1] as ValType, 1);
    code.mem(ACCESS_OP[def.name] as WasmOp, 0);
  }

  /** Leaves the guest address in this.address, known to be accessible. */
  private checkedAddress(def: OpDef, write: boolean): void {
    const { code } = this;
    this.operand('i64', 0);
    this.imm();
    code.op('i64.extend_i32_s').op('i64.add').set(this.address);
    emitCheckOrResolve(code, this.address, def.bytes, write, this.helper('mem.slow'), () => this.fault());
  }

  private setFlags(def: OpDef): void {
    const { code } = this;
    const slots = [CC_OP, CC_X, CC_Y, CC_Z];
    const locals = def.params.map((type, i) => {
      this.operand(type, i);
      const local = this.temp(type);
      code.set(local);
      return local;
    });
    slots.forEach((slot, i) => {
      code.i32(STATE_BASE).get(locals[i] as number).mem(STORE[slot.type], slot.offset);
    });
  }

  private control(operation: number): void {
    const { code } = this;
    switch (operation) {
      case CONTROL.ENTER:
        this.enter();
        return;
      case CONTROL.ENTER_COMPILED:
        code.globalGet(this.stay).op('i32.eqz').if_();
        this.leaveTo(ENTER_LAYOUT.start, EXIT.CONTINUE);
        code.end();
        this.enter();
        return;
      case CONTROL.ENTER_STALE:
        this.leaveTo(ENTER_LAYOUT.start, EXIT.CONTINUE);
        return;
      case CONTROL.JUMP:
        this.follow(JUMP_LAYOUT.target, JUMP_LAYOUT.link);
        return;
      case CONTROL.BRANCH:
        this.operand('i32', 0);
        code.if_();
        this.follow(BRANCH_LAYOUT.taken, BRANCH_LAYOUT.takenLink);
        code.end();
        this.follow(BRANCH_LAYOUT.fall, BRANCH_LAYOUT.fallLink);
        return;
      case CONTROL.INDIRECT:
        this.indirect();
        return;
      case CONTROL.RETURN:
        this.checkedReturn();
        this.indirect();
        return;
      case CONTROL.SYSCALL:
        this.leaveTo(SYSCALL_LAYOUT.next, EXIT.SYSCALL);
        return;
      case CONTROL.TRAP:
        this.stateI32(FAULT_INFO.offset, () => code.get(PC).mem('i32.load', TRAP_LAYOUT.vector, 2));
        this.leaveTo(TRAP_LAYOUT.resume, EXIT.TRAP);
        return;
      case CONTROL.MOVE_I32:
        this.move('i32');
        return;
      case CONTROL.MOVE_I64:
        this.move('i64');
        return;
      case CONTROL.MOVE_V128:
        this.move('v128');
        return;
      default:
        this.leaveTo(UNKNOWN_LAYOUT.at, EXIT.UNKNOWN);
    }
  }

  /** Counts the block's instructions against the ticks, and the executions until it counts as hot. */
  private enter(): void {
    const { code } = this;
    const ticks = this.temp('i64');
    const count = this.temp('i32');
    code.i32(STATE_BASE).mem('i64.load', TICKS.offset, 3);
    code.get(PC).mem('i64.load32_u', ENTER_LAYOUT.instructions, 2).op('i64.sub').tee(ticks).i64num(0).op('i64.lt_s').if_();
    this.leaveTo(ENTER_LAYOUT.start, EXIT.BUDGET);
    code.end();
    code.get(PC).get(PC).mem('i32.load', ENTER_LAYOUT.counter, 2).i32(1).op('i32.sub').tee(count).mem('i32.store', ENTER_LAYOUT.counter, 2);
    code.get(count).op('i32.eqz').if_();
    this.leaveTo(ENTER_LAYOUT.start, EXIT.HOT);
    code.end();
    code.i32(STATE_BASE).get(ticks).mem('i64.store', TICKS.offset, 3);
    this.advance(ENTER_LAYOUT.size);
  }

  /** Goes to a block at a known address, remembering where it is once it is found. */
  private follow(target: number, link: number): void {
    const { code } = this;
    const found = this.temp('i32');
    code.get(PC).mem('i32.load', link, 2).tee(found).if_();
    this.goTo(found);
    code.end();
    code.get(PC).mem('i64.load', target).set(this.address);
    this.lookUp();
    code.get(PC).get(this.entry).mem('i32.load', ENTRY_LAYOUT.bytecode, 2).tee(found).mem('i32.store', link, 2);
    this.goTo(found);
  }

  private checkedReturn(): void {
    const { code } = this;
    this.operand('i64', 0);
    code.set(this.address);
    emitReturnCheck(code, this.address, this.entry, () => {
      code.i32(STATE_BASE).get(this.address).mem('i64.store', RIP.offset, 3);
      code.i32(STATE_BASE).i64num(0).mem('i64.store', FAULT_ADDRESS.offset, 3);
      this.leaveAtPc(EXIT.ASTRAY);
    });
  }

  private indirect(): void {
    const { code } = this;
    this.operand('i64', 0);
    code.set(this.address);
    this.lookUp();
    code.get(this.entry).mem('i32.load', ENTRY_LAYOUT.bytecode, 2).set(PC);
    emitDispatch(code, this.handlers);
  }

  /** Finds the block at this.address in the block table; leaves with rip set if there is no bytecode for it. */
  private lookUp(): void {
    const { code } = this;
    emitEntryAddress(code, this.address);
    code.tee(this.entry).mem('i64.load', ENTRY_LAYOUT.address, 3).get(this.address).op('i64.ne');
    code.get(this.entry).mem('i32.load', ENTRY_LAYOUT.bytecode, 2).op('i32.eqz').op('i32.or').if_();
    code.i32(STATE_BASE).get(this.address).mem('i64.store', RIP.offset, 3);
    code.i32(EXIT.CONTINUE).ret();
    code.end();
  }

  private move(type: 'i32' | 'i64' | 'v128'): void {
    this.slotAddress(2);
    this.operand(type, 0);
    this.code.mem(STORE[type], STATE_BASE);
    this.advance(MOVE_SIZE);
  }

  // ---- pieces

  /** An i32 is stored with 32 zeros above it: to widen it is then no work at all (see the encoder). */
  private storeResult(type: 'i32' | 'i64' | 'v128'): void {
    if (type === 'i32') this.code.op('i64.extend_i32_u').mem('i64.store', STATE_BASE);
    else this.code.mem(STORE[type], STATE_BASE);
  }

  private advance(bytes: number): void {
    this.code.get(PC).i32(bytes).op('i32.add').set(PC);
    emitDispatch(this.code, this.handlers);
  }

  /** Goes on at the bytecode whose offset is in `local`. */
  private goTo(local: number): void {
    this.code.get(local).set(PC);
    emitDispatch(this.code, this.handlers);
  }

  /** Pushes (slot number at pc + offset) * 4. */
  private slotAddress(offset: number): void {
    this.code.get(PC).mem('i32.load16_u', offset, 1).i32(2).op('i32.shl');
  }

  private operand(type: ValType, i: number): void {
    this.slotAddress(operandOffset(i));
    this.code.mem(LOAD[type as 'i32'], STATE_BASE);
  }

  private stateI32(offset: number, value: () => void): void {
    this.code.i32(STATE_BASE);
    value();
    this.code.mem('i32.store', offset, 2);
  }

  private leaveAtPc(exit: number): void {
    this.stateI32(FAULT_PC.offset, () => this.code.get(PC));
    this.code.i32(exit).ret();
  }

  /** Returns with rip = the address stored at pc + offset. */
  private leaveTo(offset: number, exit: number): void {
    this.code.i32(STATE_BASE).get(PC).mem('i64.load', offset).mem('i64.store', RIP.offset, 3);
    this.code.i32(exit).ret();
  }
}

