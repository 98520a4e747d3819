/**
 * Evaluates location expressions. Nonsense is a DwarfError; what the program does not (or no longer) have is a result:
 * `optimisedOut` with a reason. Steps and stack are limited, for expressions can loop.
 */
import { AT, OP } from './dwarfConstants.js';
import { DwarfReader } from './dwarfReader.js';
import { binary, unary } from './expressionMath.js';
import type { Location, Piece, ProgramState } from './location.js';
import { GENERIC, convert, fromBits, generic, toBits, valueTypeOf, type TypedValue, type ValueType } from './typedValue.js';
import type { Unit } from './unit.js';

const MOST_STEPS = 10_000;
const DEEPEST_STACK = 1000;
const DEEPEST_CALL = 8;
const POINTER_SIZE = 8;

/** Something that the expression needs is not to be had. */
class Unavailable extends Error {}

/** Evaluates an expression of `unit` to a location. `initial` are values on the stack to begin with. */
export function evaluate(expression: Uint8Array, unit: Unit | undefined, state: ProgramState, initial: readonly bigint[] = []): Location {
  try {
    return new Evaluator(unit, state, initial).run(expression);
  } catch (error) {
    if (error instanceof Unavailable) return { kind: 'optimisedOut', reason: error.message };
    throw error;
  }
}

/**
 * Evaluates an expression to one number, as call frame rules and frame bases have them; undefined if it cannot be had.
 */
export function evaluateNumber(expression: Uint8Array, unit: Unit | undefined, state: ProgramState, initial: readonly bigint[] = []): bigint | undefined {
  const location = evaluate(expression, unit, state, initial);
  switch (location.kind) {
    case 'memory': return location.address;
    case 'value': return location.value;
    case 'register': return state.register(location.register);
    default: return undefined;
  }
}

class Evaluator {
  private readonly stack: TypedValue[];
  private steps = 0;
  private depth = 0;
  /** Set by operations that name a location other than memory. */
  private special: Location | undefined;
  private readonly pieces: Piece[] = [];
  private reader = new DwarfReader('expression', new Uint8Array(0));

  constructor(
    private readonly unit: Unit | undefined,
    private readonly state: ProgramState,
    initial: readonly bigint[],
  ) {
    this.stack = initial.map(generic);
  }

  run(expression: Uint8Array): Location {
    this.execute(expression);
    if (this.pieces.length > 0) return { kind: 'pieces', pieces: this.pieces };
    return this.current() ?? this.reader.fail('expression without result');
  }

  private execute(expression: Uint8Array): void {
    const outer = this.reader;
    const reader = new DwarfReader('expression', expression);
    this.reader = reader;
    while (!reader.atEnd) {
      if (++this.steps > MOST_STEPS) reader.fail('expression does not end');
      if (this.stack.length > DEEPEST_STACK) reader.fail('expression needs too much stack');
      this.step(reader.u8());
    }
    this.reader = outer;
  }

  /** The location as it stands: what a special operation said, or memory at the number on the stack. */
  private current(): Location | undefined {
    if (this.special !== undefined) return this.special;
    const top = this.stack.at(-1);
    return top === undefined ? undefined : { kind: 'memory', address: toBits(top) };
  }

  private step(op: number): void {
    if (op >= OP.LIT0 && op < OP.REG0) return this.push(BigInt(op - OP.LIT0));
    if (op >= OP.REG0 && op < OP.BREG0) return this.name({ kind: 'register', register: op - OP.REG0 });
    if (op >= OP.BREG0 && op < OP.REGX) return this.push(this.register(op - OP.BREG0) + this.reader.slebBig());
    if (op >= OP.CONST1U && op <= OP.CONSTS) return this.push(this.constant(op));
    if (op >= OP.DUP && op <= OP.ROT) return this.shuffle(op);
    if (op === OP.ABS || op === OP.NEG || op === OP.NOT) return this.put(unary(op, this.pop()));
    if ((op >= OP.AND && op <= OP.XOR && op !== OP.PLUS_UCONST) || (op >= OP.EQ && op <= OP.NE)) return this.binary(op);
    if (op >= OP.PIECE && op !== OP.DEREF_SIZE && op !== OP.NOP && op !== OP.PUSH_OBJECT_ADDRESS) return this.later(op);
    return this.basic(op);
  }

  private basic(op: number): void {
    const { reader, state } = this;
    switch (op) {
      case OP.ADDR: return this.push(reader.u64Big() + state.bias);
      case OP.DEREF: return this.push(this.load(POINTER_SIZE));
      case OP.DEREF_SIZE: return this.push(this.load(reader.u8()));
      case OP.PLUS_UCONST: return this.put(binary(OP.PLUS, this.pop(), generic(reader.ulebBig())));
      case OP.BRA: return this.branch();
      case OP.SKIP: return this.jump(reader.i16());
      case OP.REGX: return this.name({ kind: 'register', register: reader.uleb() });
      case OP.FBREG: return this.push(this.need(state.frameBase(), 'frame base is not known') + reader.slebBig());
      case OP.BREGX: return this.push(this.register(reader.uleb()) + reader.slebBig());
      case OP.NOP: return;
      case OP.PUSH_OBJECT_ADDRESS: return this.push(this.need(state.objectAddress, 'object has no address'));
      default: return reader.fail(`unknown operation 0x${op.toString(16)}`);
    }
  }

  /** Operations of later versions, and of GNU before them. */
  private later(op: number): void {
    const { reader, state } = this;
    switch (op) {
      case OP.PIECE: return this.piece(reader.uleb() * 8, 0);
      case OP.BIT_PIECE: return this.piece(reader.uleb(), reader.uleb());
      case OP.CALL2: return this.call((this.unit?.offset ?? 0) + reader.u16());
      case OP.CALL4: return this.call((this.unit?.offset ?? 0) + reader.u32());
      case OP.CALL_REF: return this.call(reader.offset(this.unit?.offsetSize ?? 4));
      case OP.FORM_TLS_ADDRESS: case OP.GNU_PUSH_TLS_ADDRESS: return this.push(this.need(state.tlsAddress(toBits(this.pop())), 'thread-local storage is not known'));
      case OP.CALL_FRAME_CFA: return this.push(this.need(state.cfa(), 'frame is not known'));
      case OP.IMPLICIT_VALUE: return this.name({ kind: 'bytes', bytes: reader.take(reader.uleb()) });
      case OP.STACK_VALUE: return this.stackValue();
      case OP.IMPLICIT_POINTER: case OP.GNU_IMPLICIT_POINTER: return this.implicitPointer();
      case OP.ADDRX: case OP.GNU_ADDR_INDEX: return this.push(BigInt(this.needUnit().indexedAddress(reader.uleb())) + state.bias);
      case OP.CONSTX: case OP.GNU_CONST_INDEX: return this.push(BigInt(this.needUnit().indexedAddress(reader.uleb())));
      case OP.ENTRY_VALUE: case OP.GNU_ENTRY_VALUE: return this.push(this.need(state.entryValue(reader.take(reader.uleb())), 'value at entry is not known'));
      case OP.GNU_UNINIT: return;
      default: return this.typed(op);
    }
  }

  /** Operations on values of base types. */
  private typed(op: number): void {
    const { reader } = this;
    switch (op) {
      case OP.CONST_TYPE: case OP.GNU_CONST_TYPE: {
        const type = this.baseType();
        return this.put(fromBits(type, bitsOf(reader.take(reader.u8()))));
      }
      case OP.REGVAL_TYPE: case OP.GNU_REGVAL_TYPE: {
        const value = this.register(reader.uleb());
        return this.put(fromBits(this.baseType(), value));
      }
      case OP.DEREF_TYPE: case OP.GNU_DEREF_TYPE: {
        const value = this.load(reader.u8());
        return this.put(fromBits(this.baseType(), value));
      }
      case OP.CONVERT: case OP.GNU_CONVERT: return this.put(convert(this.pop(), this.baseType()));
      case OP.REINTERPRET: case OP.GNU_REINTERPRET: return this.put(fromBits(this.baseType(), toBits(this.pop())));
      case OP.GNU_PARAMETER_REF: throw new Unavailable('value of a parameter of another call');
      case OP.GNU_VARIABLE_VALUE: throw new Unavailable('value of a variable that is elsewhere');
      default: return reader.fail(`unknown operation 0x${op.toString(16)}`);
    }
  }

  private constant(op: number): bigint {
    const { reader } = this;
    switch (op) {
      case OP.CONST1U: return BigInt(reader.u8());
      case OP.CONST1S: return BigInt(reader.i8());
      case OP.CONST2U: return BigInt(reader.u16());
      case OP.CONST2S: return BigInt(reader.i16());
      case OP.CONST4U: return BigInt(reader.u32());
      case OP.CONST4S: return BigInt(reader.i32());
      case OP.CONST8U: case OP.CONST8S: return reader.u64Big();
      case OP.CONSTU: return reader.ulebBig();
      default: return reader.slebBig();
    }
  }

  private shuffle(op: number): void {
    const { stack } = this;
    switch (op) {
      case OP.DUP: return this.put(this.top());
      case OP.DROP: return void this.pop();
      case OP.OVER: return this.put(this.peek(1));
      case OP.PICK: return this.put(this.peek(this.reader.u8()));
      case OP.SWAP: return void stack.push(this.pop(), this.pop());
      default: {
        const [first, second, third] = [this.pop(), this.pop(), this.pop()];
        stack.push(first, third, second);
      }
    }
  }

  private binary(op: number): void {
    const second = this.pop();
    this.put(binary(op, this.pop(), second));
  }

  private branch(): void {
    const by = this.reader.i16();
    if (this.pop().value) this.jump(by);
  }

  private jump(by: number): void {
    const target = this.reader.position + by;
    if (target < 0 || target > this.reader.end) this.reader.fail('jump out of the expression');
    this.reader.position = target;
  }

  private call(offset: number): void {
    const body = this.needUnit().info.dieAt(offset).block(AT.LOCATION);
    if (++this.depth > DEEPEST_CALL) this.reader.fail('expressions call each other without end');
    if (body !== undefined) this.execute(body);
    this.depth--;
  }

  private piece(bits: number, bitOffset: number): void {
    const location = this.current() ?? { kind: 'optimisedOut' as const, reason: 'part of it is optimised out' };
    this.pieces.push({ location, bits, bitOffset });
    this.special = undefined;
    this.stack.length = 0;
  }

  private stackValue(): void {
    const top = this.pop();
    this.name({ kind: 'value', value: toBits(top), size: top.type.size });
  }

  private implicitPointer(): void {
    const unit = this.needUnit();
    const offset = this.reader.offset(unit.version <= 2 ? unit.addressSize : unit.offsetSize);
    const by = this.reader.sleb();
    this.name({ kind: 'implicitPointer', die: unit.info.dieAt(offset), offset: by });
  }

  private baseType(): ValueType {
    const offset = this.reader.uleb();
    if (offset === 0) return GENERIC;
    const unit = this.needUnit();
    const type = valueTypeOf(unit.dieAt(unit.offset + offset));
    if (type === undefined) throw new Unavailable('computed with a type that we do not know');
    return type;
  }

  private load(size: number): bigint {
    const address = toBits(this.pop());
    if (size < 1 || size > 16) this.reader.fail(`value of ${size} bytes`);
    const bytes = this.state.memory(address, size);
    if (bytes === undefined) throw new Unavailable(`memory at 0x${address.toString(16)} cannot be read`);
    return bitsOf(bytes);
  }

  private register(number: number): bigint {
    return this.need(this.state.register(number), `register ${number} is not known`);
  }

  private need(value: bigint | undefined, reason: string): bigint {
    if (value === undefined) throw new Unavailable(reason);
    return value;
  }

  private needUnit(): Unit {
    return this.unit ?? this.reader.fail('operation needs a unit');
  }

  private name(location: Location): void {
    this.special = location;
  }

  private push(value: bigint): void {
    this.stack.push(generic(value));
  }

  private put(value: TypedValue | undefined): void {
    this.stack.push(value ?? this.reader.fail('operation has no result'));
  }

  private top(): TypedValue {
    return this.peek(0);
  }

  private peek(depth: number): TypedValue {
    return this.stack[this.stack.length - 1 - depth] ?? this.reader.fail('stack is too short');
  }

  private pop(): TypedValue {
    return this.stack.pop() ?? this.reader.fail('stack is empty');
  }
}

/** Little-endian bytes as a number. */
function bitsOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((bits: bigint, byte) => (bits << 8n) | BigInt(byte), 0n);
}
