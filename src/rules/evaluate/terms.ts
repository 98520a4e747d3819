/**
 * Values of terms. What does not exist (the block of NULL, the size of no block, memory that cannot be read) has no
 * value, and whatever is computed from it has none either: a comparison with it is false.
 */
import { assertNever } from '../../base/assert.js';
import type { BuiltinName } from '../language/builtins.js';
import type { ArithmeticOperator, Term } from '../language/core.js';
import type { Frame, RuleValue } from './frame.js';
import type { MachineBlock } from './machine.js';

export type TermCode = (frame: Frame) => RuleValue | undefined;

/** Longer strings and blocks are not looked through. */
const MOST_BYTES = 1 << 20;

export function compileTerm(term: Term): TermCode {
  switch (term.kind) {
    case 'number':
      return () => term.value;
    case 'function':
      return () => term.name;
    case 'slot':
      return (frame) => frame.values[term.slot];
    case 'unary': {
      const operand = compileTerm(term.operand);
      const negate = term.operator === '-';
      return (frame) => {
        const value = operand(frame);
        return typeof value !== 'bigint' ? undefined : negate ? -value : ~value;
      };
    }
    case 'binary':
      return binary(term.operator, compileTerm(term.left), compileTerm(term.right));
    case 'apply':
      return apply(term.name, term.args);
    default:
      return assertNever(term);
  }
}

function binary(operator: ArithmeticOperator, left: TermCode, right: TermCode): TermCode {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    return typeof a === 'bigint' && typeof b === 'bigint' ? calculate(operator, a, b) : undefined;
  };
}

function calculate(operator: ArithmeticOperator, a: bigint, b: bigint): bigint | undefined {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0n ? undefined : a / b;
    case '%':
      return b === 0n ? undefined : a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return b < 0n || b > 4096n ? undefined : a << b;
    case '>>':
      return b < 0n ? undefined : a >> b;
    default:
      return assertNever(operator);
  }
}

/** The block of a pointer, or of a block id: by the argument's sort. */
export function blockCode(term: Term): (frame: Frame) => MachineBlock | undefined {
  const code = compileTerm(term);
  const byId = term.sort === 'block';
  return (frame) => {
    const value = code(frame);
    if (typeof value !== 'bigint') return undefined;
    return byId ? frame.machine.block(value) : frame.machine.blockOf(value);
  };
}

function ofBlock(term: Term, get: (block: MachineBlock, frame: Frame) => RuleValue | undefined): TermCode {
  const blockOf = blockCode(term);
  return (frame) => {
    const block = blockOf(frame);
    return block === undefined ? undefined : get(block, frame);
  };
}

function apply(name: BuiltinName, args: readonly Term[]): TermCode {
  const [first, second] = args;
  const only = (get: (value: bigint, frame: Frame) => RuleValue | undefined): TermCode => {
    const code = compileTerm(first!);
    return (frame) => {
      const value = code(frame);
      return typeof value === 'bigint' ? get(value, frame) : undefined;
    };
  };
  switch (name) {
    case 'Bid':
      return ofBlock(first!, ({ bid }) => bid);
    case 'Idx':
      return only((pointer, { machine }) => {
        const block = machine.blockOf(pointer);
        return block === undefined ? undefined : pointer - block.begin;
      });
    case 'Begin':
      return ofBlock(first!, ({ begin }) => begin);
    case 'End':
      return ofBlock(first!, ({ begin, size }) => begin + size);
    case 'Size':
      return ofBlock(first!, ({ size }) => size);
    case 'Time':
      return ofBlock(first!, ({ allocatedAt }) => allocatedAt);
    case 'FreeTime':
      return ofBlock(first!, ({ freedAt }) => freedAt);
    case 'Allocator':
      return ofBlock(first!, ({ allocator }) => allocator);
    case 'Deallocator':
      return ofBlock(first!, ({ deallocator }) => deallocator);
    case 'Block':
      return ofBlock(first!, ({ begin, size }, { machine }) => (size <= MOST_BYTES ? machine.value(begin, Number(size)) : undefined));
    case 'Family':
      return family(compileTerm(first!));
    case 'Value':
      return valueAt(compileTerm(first!), second === undefined ? () => 1n : compileTerm(second));
    case 'Length':
      return only(stringLength);
    case 'Compared':
    case 'ComparedBytes':
    case 'Searched':
      return scanned(name, args.map(compileTerm));
    case 'Int':
      return only((value) => BigInt.asIntN(32, value));
    case 'Long':
      return only((value) => BigInt.asIntN(64, value));
    case 'ReturnSlot':
      return ({ machine }) => innermost(machine.frames())?.slot;
    case 'ReturnAddress':
      return ({ machine }) => innermost(machine.frames())?.target;
    case 'Callee':
      return ({ callee }) => callee;
    case 'Origin':
      return ({ undefinedFrom }) => undefinedFrom;
    case 'Now':
      return ({ machine }) => machine.now();
    default:
      return () => undefined;
  }
}

function family(code: TermCode): TermCode {
  return (frame) => {
    const name = code(frame);
    return typeof name === 'string' ? frame.machine.family(name) : undefined;
  };
}

function valueAt(pointer: TermCode, bytes: TermCode): TermCode {
  return (frame) => {
    const address = pointer(frame);
    const count = bytes(frame);
    if (typeof address !== 'bigint' || typeof count !== 'bigint' || count < 1n || count > MOST_BYTES) return undefined;
    return frame.machine.value(address, Number(count));
  };
}

/** Byte by byte, until something is decided. */
function scanned(name: 'Compared' | 'ComparedBytes' | 'Searched', args: readonly TermCode[]): TermCode {
  return (frame) => {
    const [first, second, most = BigInt(MOST_BYTES)] = args.map((code) => code(frame));
    if (typeof first !== 'bigint' || typeof second !== 'bigint' || typeof most !== 'bigint') return undefined;
    for (let i = 0n; i < MOST_BYTES; i++) {
      if (i >= most) return i;
      const byte = frame.machine.value(first + i, 1);
      const other = name === 'Searched' ? second & 0xffn : frame.machine.value(second + i, 1);
      if (byte === undefined || other === undefined) return undefined;
      const isEnd = byte === 0n && name !== 'ComparedBytes';
      if (isEnd || (byte === other) === (name === 'Searched')) return i + 1n;
    }
    return undefined;
  };
}

function stringLength(pointer: bigint, { machine }: Frame): bigint | undefined {
  for (let length = 0n; length < MOST_BYTES; length++) {
    const byte = machine.value(pointer + length, 1);
    if (byte === undefined) return undefined;
    if (byte === 0n) return length;
  }
  return undefined;
}

function innermost<T>(frames: Iterable<T>): T | undefined {
  for (const frame of frames) return frame;
  return undefined;
}
