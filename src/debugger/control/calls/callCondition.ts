/**
 * Conditions of breakpoints on calls: `arg1 == p`, `ret == 0`, `write &x 4`, joined by `&&`, `||`, `!` and parentheses.
 * What is compared with, and where memory is, are C expressions, which have their values when the breakpoint is made:
 * the call is somewhere else, in a library without debug information.
 */
import { UserError } from '../../../base/errors.js';
import { guestAddr } from '../../../base/types.js';
import { type MemoryRange, memoryRange } from '../../../replay/timeline/conditions.js';
import type { Evaluated } from '../../values/frameEvaluator.js';

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';
type Access = 'write' | 'read' | 'access';

/** How bits are read. Without a size: as many as the other side has. */
export interface ReadAs {
  readonly kind: 'signed' | 'unsigned' | 'float';
  readonly bytes: 1 | 2 | 4 | 8;
}

/** A question to a call, which is answered when it is made (`argument`), while it lasts, or when it returns. */
export type CallQuestion =
  | {
    readonly kind: 'argument' | 'result';
    /** Of an argument: the first is 1. */
    readonly index: number;
    /** As the user wants it read, by a cast. */
    readonly as: ReadAs | undefined;
    readonly comparison: Comparison;
    readonly value: bigint | number;
  }
  | { readonly kind: 'memory'; readonly access: Access; readonly ranges: readonly MemoryRange[] };

export type CallTest =
  /** By its number among the questions. */
  | { readonly kind: 'question'; readonly question: number }
  | { readonly kind: 'not'; readonly part: CallTest }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly CallTest[] };

export interface CallCondition {
  readonly questions: readonly CallQuestion[];
  readonly test: CallTest;
}

/** What is true of every call. */
export const ALWAYS: CallCondition = { questions: [], test: { kind: 'and', parts: [] } };

/** What it comes to, as far as the answers are known. Undefined: that depends on others. */
export function truthOf(test: CallTest, answers: readonly (boolean | undefined)[]): boolean | undefined {
  switch (test.kind) {
    case 'question': return answers[test.question];
    case 'not': {
      const part = truthOf(test.part, answers);
      return part === undefined ? undefined : !part;
    }
    case 'and': case 'or': {
      const decisive = test.kind === 'or';
      const parts = test.parts.map((part) => truthOf(part, answers));
      if (parts.includes(decisive)) return decisive;
      return parts.includes(undefined) ? undefined : !decisive;
    }
  }
}

type Evaluate = (expression: string) => Evaluated;

/** Throws a UserError for what makes no sense. */
export function parseCallCondition(text: string, evaluate: Evaluate): CallCondition {
  return new Parser(text, evaluate).condition();
}

/** Memory as it is meant at all times. */
export function withMeaning(condition: CallCondition, meaning: (ranges: readonly MemoryRange[]) => readonly MemoryRange[]): CallCondition {
  const questions = condition.questions.map((question) => (question.kind === 'memory' ? { ...question, ranges: meaning(question.ranges) } : question));
  return { ...condition, questions };
}

/** Functions that have no result because they never return. */
const NEVER_RETURN: ReadonlySet<string> = new Set([
  'exit', '_exit', '_Exit', 'quick_exit', 'abort', '__assert_fail', '__stack_chk_fail', '__fortify_fail', '__chk_fail', 'pthread_exit', 'thrd_exit', 'longjmp', 'siglongjmp', '_longjmp', '__longjmp_chk',
  '__cxa_throw', '__cxa_rethrow', '_Unwind_Resume', 'std::terminate', 'err', 'errx', 'verr', 'verrx',
]);

/** Throws a UserError if a condition asks for the result of what has none. */
export function refuseResult(name: string, { questions }: CallCondition): void {
  if (NEVER_RETURN.has(name) && questions.some(({ kind }) => kind === 'result')) throw new UserError(`${name} never returns: a condition on its result would never hold; use argN`);
}

const FORMS = 'argN == VALUE, ret == VALUE, or write|read|access ADDRESS [SIZE], joined by && and ||';
const OPERAND = /^(?:\(\s*(?<cast>[a-z_][\w ]*?)\s*\)\s*)?(?<name>arg(?<index>\d+)|ret)\b\s*(?<comparison>==|!=|<=|>=|<(?!<)|>(?!>))?/;
const MEMORY = /^(?<access>write|read|access)\b(?!\s*(?:[=<>!]=|[<>]))\s*/;
const CASTS: Readonly<Record<string, ReadAs>> = {
  'char': { kind: 'signed', bytes: 1 }, 'signed char': { kind: 'signed', bytes: 1 }, 'unsigned char': { kind: 'unsigned', bytes: 1 }, 'bool': { kind: 'unsigned', bytes: 1 },
  'short': { kind: 'signed', bytes: 2 }, 'unsigned short': { kind: 'unsigned', bytes: 2 },
  'int': { kind: 'signed', bytes: 4 }, 'unsigned': { kind: 'unsigned', bytes: 4 }, 'unsigned int': { kind: 'unsigned', bytes: 4 },
  'long': { kind: 'signed', bytes: 8 }, 'long long': { kind: 'signed', bytes: 8 }, 'ssize_t': { kind: 'signed', bytes: 8 },
  'unsigned long': { kind: 'unsigned', bytes: 8 }, 'unsigned long long': { kind: 'unsigned', bytes: 8 }, 'size_t': { kind: 'unsigned', bytes: 8 },
  'float': { kind: 'float', bytes: 4 }, 'double': { kind: 'float', bytes: 8 },
};

/** Whether a text is meant to be one, and no condition in C. */
export function isCallCondition(text: string): boolean {
  const start = text.replace(/^[\s!(]*/, '');
  const operand = OPERAND.exec(text.trim()) ?? OPERAND.exec(start);
  return operand !== null || /^(?:write|read|access)\s+[^=<>!\s]/.test(start);
}

class Parser {
  private readonly questions: CallQuestion[] = [];
  private rest: string;

  constructor(
    private readonly text: string,
    private readonly evaluate: Evaluate,
  ) {
    this.rest = text.trim();
  }

  condition(): CallCondition {
    if (this.rest === '') throw new UserError(`no condition: say ${FORMS}`);
    const test = this.joined('or');
    if (this.rest !== '') throw this.unreadable();
    return { questions: this.questions, test };
  }

  private joined(kind: 'and' | 'or'): CallTest {
    const sign = kind === 'or' ? '||' : '&&';
    const parts: CallTest[] = [];
    do parts.push(kind === 'or' ? this.joined('and') : this.single());
    while (this.skip(sign));
    return parts.length === 1 ? (parts[0] as CallTest) : { kind, parts };
  }

  private single(): CallTest {
    const operand = OPERAND.exec(this.rest);
    const cast = operand?.groups?.['cast'];
    if (operand !== null && (cast === undefined || CASTS[cast] !== undefined)) return this.compared(operand);
    const memory = MEMORY.exec(this.rest);
    if (memory !== null) return this.accessed(memory);
    if (this.skip('!')) return { kind: 'not', part: this.single() };
    if (!this.skip('(')) throw this.unreadable();
    const inner = this.joined('or');
    if (!this.skip(')')) throw new UserError(`a ")" is missing in the condition: ${this.text}`);
    return inner;
  }

  private compared(operand: RegExpExecArray): CallTest {
    const { cast, name = '', index, comparison } = operand.groups ?? {};
    if (index !== undefined && Number(index) === 0) throw new UserError('no argument 0: the first one is arg1');
    if (Number(index) > 255) throw new UserError(`no function has so many arguments: ${name}`);
    this.rest = this.rest.slice(operand[0].length);
    const as = cast === undefined ? undefined : CASTS[cast];
    const common = { kind: name === 'ret' ? 'result' : 'argument', index: Number(index ?? 0), as } as const;
    // As in C, alone it is true unless it is zero.
    if (comparison === undefined) return this.asked({ ...common, comparison: '!=', value: as?.kind === 'float' ? 0 : 0n });
    const written = this.expression();
    if (written === '') throw new UserError(`nothing to compare ${name} with: say ${name} ${comparison} VALUE`);
    const value = valueOf(this.evaluate(written), written);
    return this.asked({ ...common, comparison: comparison as Comparison, value: as?.kind === 'float' ? Number(value) : value });
  }

  private accessed(memory: RegExpExecArray): CallTest {
    const access = (memory.groups?.['access'] ?? 'access') as Access;
    this.rest = this.rest.slice(memory[0].length);
    const written = this.expression();
    if (written === '') throw new UserError(`no address: say ${access} ADDRESS [SIZE]`);
    return this.asked({ kind: 'memory', access, ranges: [this.range(written)] });
  }

  /** `&x 4`: the last word is the size, if what is before it means something by itself. */
  private range(written: string): MemoryRange {
    const [, before, size] = /^(.*[\w)\]])\s+(\w+|\(.*\)|sizeof\s*\(.*\))$/s.exec(written) ?? [];
    const address = before === undefined ? undefined : this.tried(before);
    if (before !== undefined && size !== undefined && address?.number !== undefined) return rangeOf(before, address.number, valueOf(this.evaluate(size), size));
    const whole = valueOf(this.evaluate(written), written);
    return rangeOf(written, whole, this.tried(`sizeof(*(${written}))`)?.number ?? 1n);
  }

  private tried(expression: string): Evaluated | undefined {
    try {
      return this.evaluate(expression);
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }

  private asked(question: CallQuestion): CallTest {
    this.questions.push(question);
    return { kind: 'question', question: this.questions.length - 1 };
  }

  /** Up to the next `&&`, `||` or `)` that is not inside of it. */
  private expression(): string {
    const { rest } = this;
    let [depth, at] = [0, 0];
    for (; at < rest.length; at++) {
      const char = rest.charAt(at);
      if (char === '"' || char === "'") at = closing(rest, at);
      else if (char === '(' || char === '[') depth++;
      else if ((char === ')' || char === ']') && depth-- === 0) break;
      else if (depth === 0 && (rest.startsWith('&&', at) || rest.startsWith('||', at))) break;
    }
    this.rest = rest.slice(at).trimStart();
    return rest.slice(0, at).trim();
  }

  private skip(sign: string): boolean {
    const isThere = this.rest.startsWith(sign);
    if (isThere) this.rest = this.rest.slice(sign.length).trimStart();
    return isThere;
  }

  private unreadable(): UserError {
    return new UserError(`no condition of a call: ${JSON.stringify(this.rest)}; say ${FORMS}`);
  }
}

/** Where the quoted text ends that begins at `start`. */
function closing(text: string, start: number): number {
  const quote = text.charAt(start);
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}

function valueOf({ number, bytes, text }: Evaluated, written: string): bigint | number {
  if (number !== undefined) return number;
  const isNumber = /^-?(?:\d|inf|nan)/.test(text);
  const view = bytes === undefined || !isNumber ? undefined : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view?.byteLength === 8) return view.getFloat64(0, true);
  if (view?.byteLength === 4) return view.getFloat32(0, true);
  throw new UserError(`no number: ${written}`);
}

function rangeOf(written: string, address: bigint | number, size: bigint | number): MemoryRange {
  if (typeof address !== 'bigint' || address <= 0n || address >= 1n << 47n) throw new UserError(`no address: ${written}`);
  if (typeof size !== 'bigint' || size <= 0n || size > 1n << 30n) throw new UserError(`no size: ${size}; it is a number of bytes`);
  return memoryRange(guestAddr(Number(address)), Number(size));
}
