/**
 * XML as tools write it: elements, attributes, texts. A reader of our own, because little of XML is needed and the rest
 * is what attacks are made of: there are no entities but the five that XML has and numbers of characters, a document
 * type may be named but not defined, and nothing is ever fetched. Several elements may follow each other, with text
 * around them: the thesis shows reports as such fragments.
 */
import { UserError } from '../../../base/errors.js';
import { wellFormed } from '../../model/wellFormed.js';

type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string>; readonly line: number }
  | { readonly kind: 'close'; readonly name: string; readonly line: number }
  | { readonly kind: 'text'; readonly text: string; readonly line: number };

const ENTITIES: ReadonlyMap<string, string> = new Map([['lt', '<'], ['gt', '>'], ['amp', '&'], ['quot', '"'], ['apos', "'"]]);
const DEEPEST = 1_000_000;
const TAG = /<([A-Za-z_:][\w:.-]*)((?:\s+[A-Za-z_:][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const ATTRIBUTE = /([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const CLOSING = /<\/([A-Za-z_:][\w:.-]*)\s*>/y;
const DOCTYPE = /<!DOCTYPE\s[^[\]<>]*>/y;

/** Throws a UserError with the line where it is no XML, or more of XML than is read. */
export function* xmlEvents(text: string, name: string): Generator<XmlEvent> {
  const open: string[] = [];
  let [at, line, newline] = [text.startsWith('\ufeff') ? 1 : 0, 1, text.indexOf('\n')];
  const lineAt = (): number => {
    for (; newline >= 0 && newline < at; newline = text.indexOf('\n', newline + 1)) line++;
    return line;
  };
  const wrong = (what: string): UserError => new UserError(`${name}:${lineAt()}: ${what}`);
  while (at < text.length) {
    const next = text.indexOf('<', at);
    if (next !== at) {
      const end = next < 0 ? text.length : next;
      yield { kind: 'text', text: unescaped(text.slice(at, end), wrong), line: lineAt() };
      at = end;
    } else if (text.startsWith('<!--', at)) at = after(text, '-->', at, wrong);
    else if (text.startsWith('<![CDATA[', at)) {
      const end = after(text, ']]>', at, wrong);
      yield { kind: 'text', text: text.slice(at + '<![CDATA['.length, end - ']]>'.length), line: lineAt() };
      at = end;
    } else if (text.startsWith('<?', at)) at = after(text, '?>', at, wrong);
    else if (text.startsWith('<!', at)) {
      DOCTYPE.lastIndex = at;
      if (!DOCTYPE.test(text)) throw wrong('a document type with definitions of its own is not read');
      at = DOCTYPE.lastIndex;
    } else if (text.startsWith('</', at)) {
      CLOSING.lastIndex = at;
      const found = CLOSING.exec(text);
      const expected = open.pop();
      if (found === null || expected === undefined || found[1] !== expected) throw wrong(expected === undefined ? 'something is closed that is not open' : `</${expected}> should be here`);
      yield { kind: 'close', name: expected, line: lineAt() };
      at = CLOSING.lastIndex;
    } else {
      TAG.lastIndex = at;
      const found = TAG.exec(text);
      if (found === null) throw wrong('this is no XML');
      const [, element = '', attributes = '', slash] = found;
      yield { kind: 'open', name: element, attributes: attributesOf(attributes, wrong), line: lineAt() };
      at = TAG.lastIndex;
      if (slash === '/') yield { kind: 'close', name: element, line: lineAt() };
      else if (open.push(element) > DEEPEST) throw wrong(`it is deeper than ${DEEPEST} levels`);
    }
  }
  if (open.length > 0) throw wrong(`<${open.at(-1)}> is not closed`);
}

function after(text: string, end: string, from: number, wrong: (what: string) => UserError): number {
  const at = text.indexOf(end, from);
  if (at < 0) throw wrong(`${end} is missing`);
  return at + end.length;
}

function attributesOf(text: string, wrong: (what: string) => UserError): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw wrong(`attribute ${name} is there twice`);
    // Spaces are normalised before references are replaced: a line feed that is meant is written as a reference.
    attributes.set(name, unescaped((double ?? single ?? '').replace(/\r\n|[\t\n\r]/g, ' '), wrong));
  }
  return attributes;
}

function unescaped(text: string, wrong: (what: string) => UserError): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&\s]{0,32};?)/g, (_, reference: string) => {
    const name = reference.slice(0, -1);
    const code = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}));$/.exec(reference);
    const number = code === null ? undefined : code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16);
    const character = number === undefined ? (reference.endsWith(';') ? ENTITIES.get(name) : undefined) : number > 0 && number <= 0x10ffff && (number < 0xd800 || number > 0xdfff) ? String.fromCodePoint(number) : undefined;
    if (character === undefined) throw wrong(`&${reference} is not known`);
    return character;
  });
}

/** For texts and attributes. What XML cannot say becomes U+FFFD. */
export function xmlText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const sayable = wellFormed(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return sayable.replace(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function xmlAttribute(text: string): string {
  return xmlText(text).replace(/[\t\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}
