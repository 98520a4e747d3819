/**
 * A look at a call that costs next to nothing: whether a rule about it may be broken. It calculates with doubles, knows
 * only what is at hand, and says yes where it cannot tell: then the rule itself is asked.
 */
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import type { CheckedPoint, ComparisonOperator, Condition, Term } from '../../rules/language/core.js';

/** What a call has at hand. */
export interface CallAtHand {
  /** By number; UNKNOWN if a double has no room for it. */
  argument(n: number): number;
  /** Its lower half, as a C int. */
  intArgument(n: number): number;
  /** The block that an address belongs to: NO_VALUE if to none, UNKNOWN if that is not easy to tell. */
  blockBegin(address: number): number;
  blockEnd(address: number): number;
  stringLength(address: number): number;
  /** As many bytes as one has to look at: to find a byte in a string, to compare two strings, or bytes. */
  searchedBytes(address: number, wanted: number, most: number): number;
  comparedBytes(one: number, other: number, most: number, areStrings: boolean): number;
  /** Whether all of so many bytes have been written. */
  isWritten(address: number, length: number): boolean;
}

/** As in evaluate/terms.ts: what does not exist has no value, and comparisons with it are false. */
export const NO_VALUE = NaN;
export const UNKNOWN = Infinity;

/** Whether it may be broken. */
export type QuickTest = (call: CallAtHand) => boolean;

/** No rule is about it. */
export const NEVER: QuickTest = () => false;

const [NO, YES, PERHAPS] = [0, 1, 2] as const;
/** Bytes that are not too many to look whether they are written. */
const MOST_LOOKED_AT = 1 << 20;
const EXACT = Number.MAX_SAFE_INTEGER;
const LARGEST_INT = 0x7fff_ffff;

export function quickTest(rules: readonly CompiledRule[], callee: string): QuickTest {
  const source = new TestSource();
  const tests = rules.flatMap(({ rule }) => rule.points.filter((point) => point.kind === 'call' && point.callees?.includes(callee) === true).map((point) => source.condition(rule.condition, point)));
  return tests.length === 0 ? NEVER : source.function(tests);
}

const OPERATORS: Readonly<Record<ComparisonOperator, string>> = { '==': '===', '!=': '!==', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };
const COMPARISONS = Object.keys(OPERATORS) as ComparisonOperator[];

/**
 * Functions that the made code calls. They are made with it, each for itself: V8 would think the worst of one for all.
 * Two numbers that are not exact cannot be told apart.
 */
const HELPERS = [
  `const plus = (a, b) => exactly(a, b, a + b), minus = (a, b) => exactly(a, b, a - b);`,
  `const exactly = (a, b, result) => a === Infinity || b === Infinity || Math.abs(result) > ${EXACT} ? Infinity : result;`,
  `const and = (a, b) => a >= 0 && a <= ${LARGEST_INT} && b >= 0 && b <= ${LARGEST_INT} ? a & b : Infinity;`,
  ...COMPARISONS.map((operator, i) =>
    `const compare${i} = (a, b) => a !== a || b !== b ? ${NO} : a === Infinity || b === Infinity || (Math.abs(a) > ${EXACT} && Math.abs(b) > ${EXACT}) ? ${PERHAPS} : a ${OPERATORS[operator]} b ? ${YES} : ${NO};`),
].join('\n');

/** Terms that are found by looking through memory. */
const SCANS: ReadonlySet<string> = new Set(['Searched', 'Compared', 'ComparedBytes']);
const LOOKS: Readonly<Record<string, keyof CallAtHand>> = { Begin: 'blockBegin', End: 'blockEnd', Length: 'stringLength' };

/**
 * Makes JavaScript of conditions: one function without calls through variables, which V8 makes quick code of.
 * Conditions are expressions that come to NO, YES or PERHAPS, terms come to numbers, and each is calculated once.
 */
class TestSource {
  private readonly terms = new Map<string, string>();
  private parts = 0;

  function(tests: readonly string[]): QuickTest {
    const names = [...this.terms.values(), ...Array.from({ length: this.parts }, (_, i) => `c${i}`)];
    const made = tests.map((test) => `(${test}) !== ${NO}`).join(' || ');
    return (new Function(`${HELPERS}\nreturn (call) => { let ${names.join(', ') || 'none'}; return ${made}; };`) as () => QuickTest)();
  }

  condition(condition: Condition, point: CheckedPoint): string {
    switch (condition.kind) {
      case 'constant':
        return String(condition.value ? YES : NO);
      case 'and':
        return this.joined(condition.parts, point, NO, YES);
      case 'or':
        return this.joined(condition.parts, point, YES, NO);
      case 'not': {
        const part = this.part();
        return `(${part} = ${this.condition(condition.part, point)}) === ${PERHAPS} ? ${PERHAPS} : 1 - ${part}`;
      }
      case 'compare':
        return `compare${COMPARISONS.indexOf(condition.operator)}(${this.term(condition.left, point)}, ${this.term(condition.right, point)})`;
      case 'test':
        return condition.name === 'Initialized' ? this.initialized(condition.args.map((arg) => this.term(arg, point))) : String(PERHAPS);
      default:
        return String(PERHAPS);
    }
  }

  private initialized([address = 'Infinity', length = '1']: readonly string[]): string {
    return `${address} < Infinity && ${length} <= ${MOST_LOOKED_AT} ? (call.isWritten(${address}, ${length}) ? ${YES} : ${NO}) : ${PERHAPS}`;
  }

  /** `decisive` if one part is; otherwise PERHAPS if one part is. */
  private joined(parts: readonly Condition[], point: CheckedPoint, decisive: number, otherwise: number): string {
    const names = parts.map(() => this.part());
    const tests = parts.map((part, i) => `(${names[i]} = (${this.condition(part, point)})) === ${decisive} ? ${decisive} : `);
    return `${tests.join('')}((${names.join(' | ')}) & ${PERHAPS}) !== 0 ? ${PERHAPS} : ${otherwise}`;
  }

  private part(): string {
    return `c${this.parts++}`;
  }

  private term(term: Term, point: CheckedPoint): string {
    const source = this.termSource(term, point);
    if (/^-?[\w.+]+$/.test(source)) return source;
    const known = this.terms.get(source);
    const name = known ?? `t${this.terms.size}`;
    this.terms.set(source, name);
    return `(${name} ??= ${source})`;
  }

  private termSource(term: Term, point: CheckedPoint): string {
    switch (term.kind) {
      case 'number':
        return String(Number(term.value));
      case 'slot': {
        const position = point.slots.indexOf(term.slot);
        return position < 0 ? 'Infinity' : `call.argument(${position})`;
      }
      case 'unary':
        return term.operator === '-' ? `minus(0, ${this.term(term.operand, point)})` : 'Infinity';
      case 'binary': {
        const helper = { '+': 'plus', '-': 'minus', '&': 'and' }[term.operator as string];
        return helper === undefined ? 'Infinity' : `${helper}(${this.term(term.left, point)}, ${this.term(term.right, point)})`;
      }
      case 'apply':
        return this.application(term, point);
      default:
        return 'Infinity';
    }
  }

  private application({ name, args: [first, ...rest] }: Term & { kind: 'apply' }, point: CheckedPoint): string {
    if (first !== undefined && SCANS.has(name)) return this.scan(name, [first, ...rest], point);
    const position = name === 'Int' && first?.kind === 'slot' ? point.slots.indexOf(first.slot) : -1;
    if (position >= 0) return `call.intArgument(${position})`;
    const look = LOOKS[name];
    if (first === undefined || first.sort === 'block' || look === undefined) return 'Infinity';
    const value = this.term(first, point);
    // Infinity and NaN stay what they are.
    return `(${value} < Infinity ? call.${look}(${value}) : ${value})`;
  }

  private scan(name: string, args: readonly Term[], point: CheckedPoint): string {
    const [first, second, most = String(Number.MAX_SAFE_INTEGER)] = args.map((arg) => this.term(arg, point));
    const call = name === 'Searched' ? `searchedBytes(${first}, ${second}, ${most})` : `comparedBytes(${first}, ${second}, ${most}, ${name === 'Compared'})`;
    return `(${first} < Infinity && ${second} < Infinity ? call.${call} : Infinity)`;
  }
}
