/** Structures, unions and classes: base classes first (`<Base> = {...}`), then members, static ones marked. */
import type { Member } from '../../../dwarf/typeParts.js';
import { strip, type StructType } from '../../../dwarf/types.js';
import { unlessFailed } from '../expressionError.js';
import { baseOffset, memberValue, presentMembers } from '../members.js';
import { toInteger } from '../scalars.js';
import type { Value } from '../value.js';
import { functionAddressText } from './addresses.js';
import type { ValuePrinter } from './valuePrinter.js';

/** Virtual bases and static members that have been shown already. */
interface Seen {
  readonly virtualBases: Set<string>;
  readonly statics: Set<string>;
}

export class StructPrinter {
  private seen: Seen | undefined;

  constructor(private readonly printer: ValuePrinter) {}

  text(value: Value, type: StructType, depth: number): string {
    const isOutermost = this.seen === undefined;
    const before = this.seen;
    this.seen = { virtualBases: new Set(), statics: before?.statics ?? new Set() };
    const text = this.fields(value, type, depth, this.seen);
    this.seen = isOutermost ? undefined : before;
    return text;
  }

  private fields(value: Value, type: StructType, depth: number, seen: Seen): string {
    const { settings } = this.printer;
    const members = presentMembers(value, type).filter((member) => settings.staticMembers || !member.isStatic);
    const bases = this.bases(value, type, depth, seen);
    if (type.members.length === 0) return `{${bases}<No data fields>}`;
    const inner = `\n${' '.repeat(2 + 2 * depth)}`;
    const heading = type.bases.length > 0 && settings.pretty && members.length > 0 ? `${inner}members of ${type.qualifiedName ?? ''}:` : '';
    const list = members.map((member) => `${settings.pretty ? inner : ''}${this.member(value, type, member, depth, seen)}`);
    return `{${bases}${heading}${list.join(settings.pretty ? ',' : ', ')}${settings.pretty ? `\n${' '.repeat(2 * depth)}` : ''}}`;
  }

  private bases(value: Value, type: StructType, depth: number, seen: Seen): string {
    const { settings } = this.printer;
    let text = '';
    for (const base of type.bases) {
      const plain = strip(base.type);
      if (plain.kind !== 'struct') continue;
      const name = plain.qualifiedName ?? '';
      if (base.isVirtual && seen.virtualBases.has(name)) continue;
      if (base.isVirtual) seen.virtualBases.add(name);
      const indent = settings.pretty ? `\n${' '.repeat(2 * (depth + 1))}` : '';
      const inner = unlessFailed(() => this.fields(value.component(base.type, baseOffset(value, base)), plain, depth + (settings.pretty ? 1 : 0), seen), () => '<invalid address>');
      text += `${indent}<${name}> = ${inner}, `;
    }
    return text;
  }

  private member(value: Value, type: StructType, member: Member, depth: number, seen: Seen): string {
    if (member.isStatic) return `static ${member.name ?? ''} = ${this.staticMember(value, type, member, depth, seen)}`;
    const label = member.name === undefined ? '' : `${member.name} = `;
    if (/^_vptr[.$]/.test(member.name ?? '')) return `${label}${this.virtualTable(value, type, member)}`;
    return `${label}${this.printer.part(() => memberValue(this.printer.names, value, type, member), depth + 1, member.name === undefined)}`;
  }

  private virtualTable(value: Value, type: StructType, member: Member): string {
    const pointer = memberValue(this.printer.names, value, type, member);
    if (pointer.isOptimisedOut) return '<optimized out>';
    return functionAddressText(value.around, toInteger(pointer), this.printer.settings);
  }

  private staticMember(value: Value, type: StructType, member: Member, depth: number, seen: Seen): string {
    return unlessFailed(() => {
      const found = memberValue(this.printer.names, value, type, member);
      const key = found.plain.kind === 'struct' ? `${found.address ?? ''}` : '';
      if (key !== '' && seen.statics.has(key)) return '<same as static member of an already seen type>';
      if (key !== '') seen.statics.add(key);
      return this.printer.nested(found, depth + 1);
    }, (error) => `<error reading variable: ${error.message}>`);
  }
}
