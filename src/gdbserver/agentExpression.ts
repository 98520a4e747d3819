/**
 * Conditions of breakpoints as gdb compiles them for targets ("agent expressions"): a small stack machine. They are
 * evaluated while a search goes by, so that hits that do not count cost no round trip. Code comes from outside: it may
 * be anything, and loop.
 */
import { valueOfBytes } from './hex.js';

export interface AgentMachine {
  /** By number in target descriptions. */
  register(number: number): bigint | undefined;
  read(address: bigint, length: number): Uint8Array | null;
}

const MOST_STEPS = 10_000;
const MOST_VALUES = 256;
const WORD = 64;

type Binary = (a: bigint, b: bigint) => bigint | undefined;

function truth(value: boolean): bigint {
  return value ? 1n : 0n;
}

function signed(value: bigint): bigint {
  return BigInt.asIntN(WORD, value);
}

/** `a` is below `b` on the stack. Undefined: it cannot be computed. */
const BINARY: Readonly<Record<number, Binary>> = {
  0x02: (a, b) => a + b,
  0x03: (a, b) => a - b,
  0x04: (a, b) => a * b,
  0x05: (a, b) => (b === 0n ? undefined : signed(a) / signed(b)),
  0x06: (a, b) => (b === 0n ? undefined : a / b),
  0x07: (a, b) => (b === 0n ? undefined : signed(a) % signed(b)),
  0x08: (a, b) => (b === 0n ? undefined : a % b),
  0x09: (a, b) => (b >= WORD ? 0n : a << b),
  0x0a: (a, b) => signed(a) >> (b >= WORD ? BigInt(WORD - 1) : b),
  0x0b: (a, b) => (b >= WORD ? 0n : a >> b),
  0x0f: (a, b) => a & b,
  0x10: (a, b) => a | b,
  0x11: (a, b) => a ^ b,
  0x13: (a, b) => truth(a === b),
  0x14: (a, b) => truth(signed(a) < signed(b)),
  0x15: (a, b) => truth(a < b),
};
const REFERENCES: Readonly<Record<number, number>> = { 0x17: 1, 0x18: 2, 0x19: 4, 0x1a: 8 };
const CONSTANTS: Readonly<Record<number, number>> = { 0x22: 1, 0x23: 2, 0x24: 4, 0x25: 8 };
const OP = { LOG_NOT: 0x0e, BIT_NOT: 0x12, EXT: 0x16, IF_GOTO: 0x20, GOTO: 0x21, REG: 0x26, END: 0x27, DUP: 0x28, POP: 0x29, ZERO_EXT: 0x2a, SWAP: 0x2b, PICK: 0x32, ROT: 0x33 } as const;

/** The value; undefined if it cannot be computed, for whatever reason. */
export function evaluateAgent(code: Uint8Array, machine: AgentMachine): bigint | undefined {
  const run = new Run(code, machine);
  for (let left = MOST_STEPS; left > 0; left--) {
    const next = run.step();
    if (next !== 'go on') return next;
  }
  return undefined;
}

class Run {
  private readonly stack: bigint[] = [];
  private at = 0;

  constructor(
    private readonly code: Uint8Array,
    private readonly machine: AgentMachine,
  ) {}

  /** The result, or undefined if there is none. */
  step(): bigint | 'go on' | undefined {
    const op = this.code[this.at++];
    if (op === undefined || this.stack.length > MOST_VALUES) return undefined;
    if (op === OP.END) return this.stack.at(-1);
    return this.does(op) ? 'go on' : undefined;
  }

  private does(op: number): boolean {
    const binary = BINARY[op];
    if (binary !== undefined) return this.with2((a, b) => binary(a, b));
    const size = REFERENCES[op];
    if (size !== undefined) return this.with1((address) => valueAt(this.machine, address, size));
    const constant = CONSTANTS[op];
    if (constant !== undefined) return this.push(this.operand(constant));
    switch (op) {
      case OP.LOG_NOT:
        return this.with1((value) => truth(value === 0n));
      case OP.BIT_NOT:
        return this.with1((value) => ~value);
      case OP.EXT:
        return this.extend((bits, value) => BigInt.asIntN(bits, value));
      case OP.ZERO_EXT:
        return this.extend((bits, value) => BigInt.asUintN(bits, value));
      case OP.GOTO:
      case OP.IF_GOTO:
        return this.jump(op === OP.IF_GOTO);
      case OP.REG:
        return this.push(this.registerOperand());
      default:
        return this.arrange(op);
    }
  }

  private arrange(op: number): boolean {
    const { stack } = this;
    switch (op) {
      case OP.DUP:
        return this.push(stack.at(-1));
      case OP.POP:
        return stack.pop() !== undefined;
      case OP.SWAP:
        return this.rotate(2);
      case OP.PICK:
        return this.push(stack.at(-1 - Number(this.operand(1) ?? 0n)));
      case OP.ROT:
        return this.rotate(3);
      default:
        return false;
    }
  }

  /** The top goes below the others of so many. */
  private rotate(count: number): boolean {
    const top = this.stack.length >= count ? this.stack.pop() : undefined;
    if (top !== undefined) this.stack.splice(this.stack.length - count + 1, 0, top);
    return top !== undefined;
  }

  private push(value: bigint | undefined): boolean {
    if (value !== undefined) this.stack.push(BigInt.asUintN(WORD, value));
    return value !== undefined;
  }

  private with1(compute: (value: bigint) => bigint | undefined): boolean {
    const value = this.stack.pop();
    return value !== undefined && this.push(compute(value));
  }

  private with2(compute: Binary): boolean {
    const [b, a] = [this.stack.pop(), this.stack.pop()];
    return a !== undefined && b !== undefined && this.push(compute(a, b));
  }

  private extend(change: (bits: number, value: bigint) => bigint): boolean {
    const bits = this.operand(1);
    return bits !== undefined && this.with1((value) => change(Math.min(WORD, Number(bits)), value));
  }

  private jump(isConditional: boolean): boolean {
    const target = this.operand(2);
    const value = isConditional ? this.stack.pop() : 1n;
    if (target === undefined || value === undefined) return false;
    if (value !== 0n) this.at = Number(target);
    return true;
  }

  private registerOperand(): bigint | undefined {
    const number = this.operand(2);
    return number === undefined ? undefined : this.machine.register(Number(number));
  }

  /** Operands have the high byte first. */
  private operand(size: number): bigint | undefined {
    const bytes = this.code.slice(this.at, this.at + size);
    this.at += size;
    return bytes.length < size ? undefined : valueOfBytes(bytes.reverse());
  }
}

function valueAt(machine: AgentMachine, address: bigint, size: number): bigint | undefined {
  const bytes = machine.read(address, size);
  return bytes === null ? undefined : valueOfBytes(bytes);
}
