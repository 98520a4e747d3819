/**
 * The grammar of mangled names, by recursive descent. A type is kept as a function from what stands in the middle of it
 * (`*`, a name) to its text, as pointers to functions and arrays are written around that.
 */
import { OPERATORS, SPECIAL, STANDARD, STANDARD_CLASS, STANDARD_FULL } from './tables.js';
import { TypeReader } from './typeReader.js';

/** Not a mangled name, or more of the grammar than we know. */
class NotMangled extends Error {}

interface Name {
  readonly text: string;
  /** Whether it ends with template arguments: then a function's type begins with what it returns. */
  readonly hasArguments: boolean;
  /** `const`, `&` after the parameters of a member function. */
  readonly qualifiers: string;
  /** Constructors, destructors and conversions return nothing that is written. */
  readonly hasNoResult: boolean;
}

const DEEPEST = 200;

export class NameParser {
  private at = 0;
  private depth = 0;
  /** Text of what can be referred back to; types as functions. */
  readonly substitutions: ((middle: string) => string)[] = [];
  templateArguments: string[] = [];
  private readonly types: TypeReader;

  constructor(
    private readonly text: string,
    private readonly dropReturn: boolean,
  ) {
    this.types = new TypeReader(this);
  }

  /** Undefined if it is no mangled name. */
  whole(): string | undefined {
    try {
      const name = this.encoding(true);
      return this.at === this.text.length ? name : undefined;
    } catch (error) {
      if (error instanceof NotMangled) return undefined;
      throw error;
    }
  }

  peek(length = 1): string {
    return this.text.slice(this.at, this.at + length);
  }

  take(length = 1): string {
    const taken = this.peek(length);
    if (taken.length < length) this.fail();
    this.at += length;
    return taken;
  }

  accept(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  fail(): never {
    throw new NotMangled();
  }

  guarded<T>(parse: () => T): T {
    if (++this.depth > DEEPEST) this.fail();
    const result = parse();
    this.depth--;
    return result;
  }

  remember(text: (middle: string) => string): void {
    this.substitutions.push(text);
  }

  /** A function with its type, a variable, or something that the compiler made. */
  encoding(isOutermost: boolean): string {
    return this.guarded(() => {
      const special = this.special();
      if (special !== undefined) return special;
      const name = this.name();
      if (this.at >= this.text.length || this.peek() === 'E' || this.peek() === '.') return name.text;
      const result = name.hasArguments && !name.hasNoResult ? this.types.type() : undefined;
      const list = this.types.parameters(() => this.at >= this.text.length || this.peek() === 'E');
      const call = `${name.text}(${list})${name.qualifiers}`;
      return result === undefined || (isOutermost && this.dropReturn) ? call : joinResult(result, call);
    });
  }

  private special(): string | undefined {
    const two = this.peek(2);
    const word = SPECIAL[two];
    if (word !== undefined) {
      this.take(2);
      return `${word}${two.startsWith('T') && two !== 'TH' && two !== 'TW' ? this.types.type()('') : this.name().text}`;
    }
    if (two === 'GT') {
      this.take(2);
      return `${this.take() === 'n' ? 'non-transaction' : 'transaction'} clone for ${this.encoding(false)}`;
    }
    if (two === 'GR') {
      this.take(2);
      const name = this.name().text;
      const number = this.accept('_') ? 0 : this.sequence() + 1;
      return `reference temporary #${number} for ${name}`;
    }
    if (two === 'TC') {
      this.take(2);
      const derived = this.types.type()('');
      this.number();
      this.take();
      return `construction vtable for ${this.types.type()('')}-in-${derived}`;
    }
    if (two === 'Th' || two === 'Tv') return this.thunk();
    if (two !== 'Tc') return undefined;
    this.take(2);
    this.offset();
    this.offset();
    return `covariant return thunk to ${this.encoding(false)}`;
  }

  private thunk(): string {
    const isVirtual = this.peek(2) === 'Tv';
    this.take();
    this.offset();
    return `${isVirtual ? 'virtual' : 'non-virtual'} thunk to ${this.encoding(false)}`;
  }

  private offset(): void {
    const kind = this.take();
    this.number();
    if (kind === 'v') {
      if (!this.accept('_')) this.fail();
      this.number();
    }
    if (!this.accept('_')) this.fail();
  }

  number(): string {
    const sign = this.accept('n') ? '-' : '';
    let digits = '';
    while (/\d/.test(this.peek())) digits += this.take();
    if (digits === '') this.fail();
    return `${sign}${digits}`;
  }

  /** A number of base 36, and its end. */
  sequence(): number {
    let digits = '';
    while (/[\dA-Z]/.test(this.peek())) digits += this.take();
    if (!this.accept('_')) this.fail();
    return digits === '' ? 0 : parseInt(digits, 36);
  }

  name(): Name {
    return this.guarded(() => {
      if (this.peek() === 'N') return this.nested();
      if (this.peek() === 'Z') return this.local();
      const plain = this.peek(2) === 'St' || this.peek() !== 'S' ? this.unscoped() : undefined;
      const text = plain?.text ?? this.substitution()('');
      if (this.peek() !== 'I') return { text, hasArguments: false, qualifiers: '', hasNoResult: plain?.hasNoResult ?? false };
      if (plain !== undefined) this.remember((middle) => `${text}${middle}`);
      return { text: `${text}${text.endsWith('<') ? ' ' : ''}${this.arguments()}`, hasArguments: true, qualifiers: '', hasNoResult: plain?.hasNoResult ?? false };
    });
  }

  private unscoped(): { text: string; hasNoResult: boolean } {
    const prefix = this.accept('St') ? 'std::' : '';
    const part = this.unqualified('');
    return { text: `${prefix}${part.text}`, hasNoResult: part.hasNoResult };
  }

  private nested(): Name {
    this.take();
    const qualifiers = this.qualifiers();
    let text = '';
    let last = { plain: '', hasArguments: false, hasNoResult: false };
    while (!this.accept('E')) {
      if (this.peek() === 'I') {
        text += `${text.endsWith('<') ? ' ' : ''}${this.arguments()}`;
        last = { plain: last.plain, hasArguments: true, hasNoResult: last.hasNoResult };
      } else if (this.peek() === 'S' && this.peek(2) !== 'St') {
        text = this.substitution()('');
        last = { plain: STANDARD_CLASS[text] ?? lastPart(text), hasArguments: text.endsWith('>'), hasNoResult: false };
        // Constructors are shown in the class with its full name.
        if (/^[CD]\d/.test(this.peek(2))) text = STANDARD_FULL[text] ?? text;
        continue;
      } else if (this.peek() === 'T' || this.peek(2) === 'DT' || this.peek(2) === 'Dt') {
        text = this.types.type()('');
        last = { plain: lastPart(text), hasArguments: false, hasNoResult: false };
        continue;
      } else {
        const isStandard = this.accept('St');
        const part = isStandard ? { text: 'std', hasNoResult: false } : this.unqualified(last.plain);
        text = text === '' ? part.text : `${text}::${part.text}`;
        last = { plain: part.text, hasArguments: false, hasNoResult: part.hasNoResult };
        if (isStandard) continue;
      }
      const known = text;
      if (this.peek() !== 'E') this.remember((middle) => `${known}${middle}`);
    }
    return { text, hasArguments: last.hasArguments, qualifiers, hasNoResult: last.hasNoResult };
  }

  private qualifiers(): string {
    let text = '';
    const words: string[] = [];
    for (;;) {
      if (this.accept('r')) words.push(' restrict');
      else if (this.accept('V')) words.push(' volatile');
      else if (this.accept('K')) words.push(' const');
      else break;
    }
    text = words.reverse().join('');
    if (this.accept('R')) return `${text} &`;
    return this.accept('O') ? `${text} &&` : text;
  }

  private local(): Name {
    this.take();
    const around = this.encoding(false);
    if (!this.accept('E')) this.fail();
    if (this.accept('s')) {
      this.discriminator();
      return { text: `${around}::string literal`, hasArguments: false, qualifiers: '', hasNoResult: false };
    }
    const argument = this.accept('d') ? `{default arg#${this.accept('_') ? 1 : Number(this.number()) + 2}}::` : '';
    if (argument !== '' && this.text[this.at - 1] !== '_' && !this.accept('_')) this.fail();
    const name = this.name();
    this.discriminator();
    return { ...name, text: `${around}::${argument}${name.text}` };
  }

  private discriminator(): void {
    if (!this.accept('_')) return;
    if (this.accept('_')) {
      this.number();
      if (!this.accept('_')) this.fail();
    } else this.take();
  }

  private unqualified(owner: string): { text: string; hasNoResult: boolean } {
    const part = this.unqualifiedPlain(owner);
    let { text } = part;
    while (this.accept('B')) text += `[abi:${this.source()}]`;
    return { ...part, text };
  }

  private unqualifiedPlain(owner: string): { text: string; hasNoResult: boolean } {
    this.accept('L');
    const c = this.peek();
    if (/\d/.test(c)) return { text: this.source(), hasNoResult: false };
    if (/^C[1-5]|^D[0-5]/.test(this.peek(2))) {
      const isDestructor = this.take(2).startsWith('D');
      return { text: `${isDestructor ? '~' : ''}${withoutArguments(owner)}`, hasNoResult: true };
    }
    if (this.accept('Ut')) return { text: `{unnamed type#${this.unnamedNumber()}}`, hasNoResult: false };
    if (this.accept('Ul')) {
      const list = this.types.parameters(() => this.peek() === 'E');
      if (!this.accept('E')) this.fail();
      return { text: `{lambda(${list})#${this.unnamedNumber()}}`, hasNoResult: false };
    }
    if (this.accept('DC')) {
      const names: string[] = [];
      while (!this.accept('E')) names.push(this.source());
      return { text: `[${names.join(', ')}]`, hasNoResult: false };
    }
    return this.operator();
  }

  private unnamedNumber(): number {
    return this.accept('_') ? 1 : this.closedNumber() + 2;
  }

  private closedNumber(): number {
    const value = Number(this.number());
    if (!this.accept('_')) this.fail();
    return value;
  }

  private operator(): { text: string; hasNoResult: boolean } {
    const code = this.take(2);
    if (code === 'cv') return { text: `operator ${this.types.type()('')}`, hasNoResult: true };
    if (code === 'li') return { text: `operator"" ${this.source()}`, hasNoResult: false };
    const operator = OPERATORS[code]?.[0] ?? this.fail();
    return { text: `operator${/^\w/.test(operator) ? ' ' : ''}${operator}`, hasNoResult: false };
  }

  source(): string {
    const length = Number(this.number());
    const name = this.take(length);
    return /^_GLOBAL_[._$]N/.test(name) ? '(anonymous namespace)' : name;
  }

  arguments(): string {
    const list = this.types.templateArguments();
    this.templateArguments = list;
    const text = list.filter((item) => item !== '').join(', ');
    return `<${text}${text.endsWith('>') ? ' ' : ''}>`;
  }

  /** `S_`, `S0_`, or an abbreviation of the standard library. */
  substitution(): (middle: string) => string {
    this.take();
    const word = STANDARD[this.peek()];
    if (word !== undefined) {
      this.take();
      let text = word;
      if (this.peek() === 'B') {
        while (this.accept('B')) text += `[abi:${this.source()}]`;
        const tagged = text;
        this.remember((middle) => `${tagged}${middle}`);
      }
      return (middle) => `${text}${middle}`;
    }
    const index = this.accept('_') ? 0 : this.sequence() + 1;
    return this.substitutions[index] ?? this.fail();
  }
}

/** What a function returns stands before its name, or around it. */
function joinResult(result: (middle: string) => string, call: string): string {
  return result(` ${call}`);
}

/** The class whose constructor it is: without scopes. */
function lastPart(text: string): string {
  let depth = 0;
  for (let i = text.length - 1; i > 0; i--) {
    if (text[i] === '>' || text[i] === ')') depth++;
    else if (text[i] === '<' || text[i] === '(') depth--;
    else if (depth === 0 && text[i] === ':' && text[i - 1] === ':') return text.slice(i + 1);
  }
  return text;
}

function withoutArguments(text: string): string {
  const start = text.indexOf('<');
  return (start > 0 ? text.slice(0, start) : text).replace(/\[abi:.*/, '');
}
