/** Texts in nodes, and the functions of the C library that compare them, computed here rather than in the program. */
import type { FieldValue, NodeId } from '../model.js';
import type { MemoryGraph } from './memoryGraph.js';
import { BROKEN, type Value } from './values.js';

/** A text's characters are bytes, each a character of the same number. */
export function textOfField(value: FieldValue, bytes: number): string {
  let text = '';
  let rest = BigInt(value);
  for (let i = 0; i < bytes && (rest & 0xffn) !== 0n; i++, rest >>= 8n) text += String.fromCharCode(Number(rest & 0xffn));
  return text;
}

/** The text in a node of bytes, up to the first that is 0; undefined if it is something else. */
export function textOfNode(graph: MemoryGraph, node: NodeId): string | undefined {
  const first = graph.fieldCount(node) > 0 ? graph.layout(node).fieldOf(1) : undefined;
  if (first === undefined) return undefined;
  if (first.kind === 'text') return textOfField(graph.value(node, 1), first.bytes);
  if (first.bytes !== 1) return undefined;
  let text = '';
  for (let field = 1; field <= graph.fieldCount(node); field++) {
    const byte = Number(graph.value(node, field)) & 0xff;
    if (byte === 0) break;
    text += String.fromCharCode(byte);
  }
  return text;
}

const COMPARING: Readonly<Record<string, (text: string) => string>> = {
  strcmp: (text) => text, strcoll: (text) => text, strncmp: (text) => text, memcmp: (text) => text,
  strcasecmp: lowerCase, strncasecmp: lowerCase,
};

/** What a function returns for texts; undefined if we do not know it, or not for these values. */
export function callKnown(name: string, values: readonly Value[]): Value | undefined {
  if (name === 'strlen' && typeof values[0] === 'string') return values[0].length;
  if (name === 'abs' && values.length === 1 && typeof values[0] === 'number') return Math.abs(values[0]);
  if ((name === 'min' || name === 'max') && values.length === 2) return extreme(name, values[0]!, values[1]!);
  const prepare = COMPARING[name];
  const [left, right, length] = values;
  if (prepare === undefined || typeof left !== 'string' || typeof right !== 'string') return undefined;
  const upTo = length === undefined ? undefined : Number(length as FieldValue);
  const [a, b] = [left, right].map((text) => prepare(upTo === undefined ? text : text.slice(0, upTo))) as [string, string];
  return a < b ? -1 : a > b ? 1 : 0;
}

function extreme(name: 'min' | 'max', left: Value, right: Value): Value {
  if (typeof left === 'symbol' || typeof right === 'symbol') return BROKEN;
  return (left < right) === (name === 'min') ? left : right;
}

function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
