/** Values of fields as people read them. */
import type { FieldValue } from '../model.js';

export function valueText(value: FieldValue, kind: string | undefined): string {
  if (kind === 'pointer') return value === 0 ? 'NULL' : `0x${value.toString(16)}`;
  return kind === 'text' ? JSON.stringify(textOf(value)) : String(value);
}

function textOf(value: FieldValue): string {
  let text = '';
  for (let rest = BigInt(value); rest !== 0n; rest >>= 8n) text += String.fromCharCode(Number(rest & 0xffn));
  return text;
}
