/** Types and template arguments of mangled names. */
import type { NameParser } from './nameParser.js';
import { BUILT_IN, BUILT_IN_D, LITERAL_SUFFIX, OPERATORS } from './tables.js';

/** From what stands in the middle (`*`, ` name`) to the whole text. */
type TypeText = (middle: string) => string;

export class TypeReader {
  constructor(private readonly names: NameParser) {}

  type(): TypeText {
    return this.names.guarded(() => this.anyType());
  }

  /** Types up to an end, as a list; `void` alone is none. */
  parameters(isEnd: () => boolean): string {
    const list: string[] = [];
    while (!isEnd()) list.push(this.type()(''));
    return list.length === 1 && list[0] === 'void' ? '' : list.filter((item) => item !== '').join(', ');
  }

  private anyType(): TypeText {
    const { names } = this;
    const c = names.peek();
    if (c === 'P' || c === 'R' || c === 'O') {
      names.take();
      return this.remembered(pointer(c === 'P' ? '*' : c === 'R' ? '&' : '&&', this.type()));
    }
    if (c === 'K' || c === 'V' || c === 'r') return this.qualified();
    if (c === 'F') return this.remembered(this.functionType());
    if (c === 'A') return this.remembered(this.array());
    if (c === 'M') return this.remembered(this.memberPointer());
    if (c === 'T' && !/^T[esu]$/.test(names.peek(2))) return this.parameter();
    if (c === 'D') return this.extended();
    if (c === 'u') {
      names.take();
      return this.remembered(plain(names.source()));
    }
    if (c === 'C' || c === 'G') {
      names.take();
      const inner = this.type();
      return this.remembered((middle) => `${inner('')} ${c === 'C' ? '_Complex' : '_Imaginary'}${middle}`);
    }
    if (c === 'U') return this.vendorQualified();
    if (c === 'S' && names.peek(2) !== 'St') return this.substituted();
    const word = BUILT_IN[c];
    if (word !== undefined) {
      names.take();
      return plain(word);
    }
    return this.remembered(plain(this.ownName()));
  }

  /** Arguments of templates that types are of are not those that parameters stand for. */
  private ownName(): string {
    const before = this.names.templateArguments;
    const { text } = this.names.name();
    this.names.templateArguments = before;
    return text;
  }

  private remembered(type: TypeText): TypeText {
    this.names.remember(type);
    return type;
  }

  /** Qualifiers together are one thing to refer back to. */
  private qualified(): TypeText {
    const { names } = this;
    const words: string[] = [];
    for (;;) {
      if (names.accept('r')) words.push(' restrict');
      else if (names.accept('V')) words.push(' volatile');
      else if (names.accept('K')) words.push(' const');
      else break;
    }
    const suffix = words.reverse().join('');
    if (names.peek() === 'F') {
      const inner = this.functionType(suffix);
      return this.remembered(inner);
    }
    const inner = this.type();
    return this.remembered((middle) => inner(`${suffix}${middle}`));
  }

  private vendorQualified(): TypeText {
    const { names } = this;
    names.take();
    const word = names.source();
    const inner = this.type();
    return this.remembered((middle) => inner(` ${word}${middle}`));
  }

  private functionType(qualifiers = ''): TypeText {
    const { names } = this;
    names.take();
    names.accept('Y');
    const result = this.type();
    const list = this.parameters(() => names.peek() === 'E' || /^[RO]E$/.test(names.peek(2)));
    const reference = names.accept('R') ? ' &' : names.accept('O') ? ' &&' : '';
    if (!names.accept('E')) names.fail();
    return (middle) => result(` ${middle === '' ? '' : `(${middle.trimStart()})`}(${list})${qualifiers}${reference}`);
  }

  private array(): TypeText {
    const { names } = this;
    names.take();
    const count = names.peek() === '_' ? '' : /\d/.test(names.peek()) ? names.number() : this.expression();
    if (!names.accept('_')) names.fail();
    const element = this.type();
    return (middle) => element(middle === '' || middle.startsWith(' [') ? ` [${count}]${middle.replace(/^ /, '')}` : ` (${middle.trimStart()}) [${count}]`);
  }

  private memberPointer(): TypeText {
    this.names.take();
    const owner = this.type()('');
    const member = this.type();
    const isFunction = /\)( const| volatile| &)*$/.test(member(''));
    return (middle) => member(`${isFunction ? '' : ' '}${owner}::*${middle}`);
  }

  private parameter(): TypeText {
    const { names } = this;
    names.take();
    const index = names.accept('_') ? 0 : Number(names.number()) + 1;
    if (index > 0 && !names.accept('_')) names.fail();
    const text = names.templateArguments[index] ?? names.fail();
    const type = this.remembered(wrapped(text));
    if (names.peek() !== 'I') return type;
    const before = names.templateArguments;
    const list = names.arguments();
    names.templateArguments = before;
    return this.remembered(plain(`${text}${list}`));
  }

  private substituted(): TypeText {
    const { names } = this;
    const known = names.substitution();
    if (names.peek() !== 'I') return known;
    const before = names.templateArguments;
    const text = `${known('')}${names.arguments()}`;
    names.templateArguments = before;
    return this.remembered(plain(text));
  }

  private extended(): TypeText {
    const { names } = this;
    const code = names.peek(2)[1] ?? '';
    const word = BUILT_IN_D[code];
    if (word !== undefined) {
      names.take(2);
      return plain(word);
    }
    if (code === 'p') {
      names.take(2);
      return this.type();
    }
    if (code === 'F') {
      names.take(2);
      const bits = names.number();
      if (!names.accept('_')) names.fail();
      return plain(`_Float${bits}`);
    }
    if (code === 'v') {
      names.take(2);
      const size = names.number();
      if (!names.accept('_')) names.fail();
      const element = this.type();
      return this.remembered((middle) => `${element('')} __vector(${size})${middle}`);
    }
    if (code === 'o') {
      names.take(2);
      return this.remembered(this.functionType(' noexcept'));
    }
    if (code !== 'T' && code !== 't') return names.fail();
    names.take(2);
    const expression = this.expression();
    if (!names.accept('E')) names.fail();
    return this.remembered(plain(`decltype (${expression})`));
  }

  /** `I...E` as texts; a pack is one text of several. */
  templateArguments(): string[] {
    const { names } = this;
    names.take();
    const list: string[] = [];
    const outer = names.templateArguments;
    while (!names.accept('E')) list.push(this.templateArgument());
    names.templateArguments = outer;
    return list;
  }

  private templateArgument(): string {
    const { names } = this;
    if (names.peek() === 'L') return this.literal();
    if (names.accept('X')) {
      const text = this.expression();
      if (!names.accept('E')) names.fail();
      return `(${text})`;
    }
    if (names.accept('J')) {
      const parts: string[] = [];
      while (!names.accept('E')) parts.push(this.templateArgument());
      return parts.filter((part) => part !== '').join(', ');
    }
    return this.type()('');
  }

  private literal(): string {
    const { names } = this;
    names.take();
    if (names.accept('_Z')) {
      const text = names.encoding(false);
      if (!names.accept('E')) names.fail();
      return text;
    }
    const type = this.type()('');
    let digits = '';
    while (names.peek() !== 'E') digits += names.take();
    names.take();
    const value = digits.replace(/^n/, '-');
    if (type === 'bool') return value === '0' ? 'false' : value === '1' ? 'true' : `(bool)${value}`;
    const suffix = LITERAL_SUFFIX[type];
    return suffix === undefined ? `(${type})${value}` : `${value}${suffix}`;
  }

  expression(): string {
    return this.names.guarded(() => this.anyExpression());
  }

  private anyExpression(): string {
    const { names } = this;
    if (names.peek() === 'L') return this.literal();
    if (names.peek() === 'T') return this.parameter()('');
    if (names.accept('st')) return `sizeof (${this.type()('')})`;
    if (names.accept('sz')) return `sizeof (${this.expression()})`;
    if (names.accept('sr')) {
      const owner = this.type()('');
      return `${owner}::${names.name().text}`;
    }
    if (names.accept('fp')) {
      const index = names.accept('_') ? 1 : Number(names.number()) + 2;
      if (index > 1 && !names.accept('_')) names.fail();
      return `{parm#${index}}`;
    }
    const [operator, count] = OPERATORS[names.peek(2)] ?? names.fail();
    names.take(2);
    if (count === 1) return `${operator}(${this.expression()})`;
    if (count !== 2) return names.fail();
    const [left, right] = [this.expression(), this.expression()];
    return operator === '>' ? `((${left})>(${right}))` : `(${left})${operator}(${right})`;
  }
}

function plain(text: string): TypeText {
  return (middle) => `${text}${middle}`;
}

/** A type that is text already: what stands in the middle goes there. */
function wrapped(text: string): TypeText {
  const open = /\((?:[\w:]+::)?[*&]+/.exec(text);
  if (open === null) {
    const call = /^(.*[\w>*&]) (\(.*\))$/.exec(text);
    return (middle) => (middle !== '' && call !== null ? `${call[1]} (${middle.trimStart()})${call[2]}` : `${text}${middle}`);
  }
  const at = open.index + open[0].length;
  return (middle) => `${text.slice(0, at)}${middle}${text.slice(at)}`;
}

/** A reference to a reference is one: to a value that can stay, if one of the two is. */
function pointer(sign: string, target: TypeText): TypeText {
  const inner = sign.startsWith('&') ? /&+$/.exec(target(''))?.[0] : undefined;
  if (inner !== undefined) return inner === '&&' && sign === '&' ? wrapped(target('').slice(0, -1)) : target;
  return (middle) => target(`${sign}${middle}`);
}
