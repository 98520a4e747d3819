/** Lines up to `end`, with blocks inside (`if`, `while`, `commands`) kept whole. */
import type { Session } from './session.js';

const OPENS = /^(if|while|commands|define|document|python)\b/;

export async function readBlock(session: Session): Promise<string[]> {
  const lines: string[] = [];
  for (let depth = 0; ; ) {
    const line = await session.nextLine('>');
    if (line === undefined) return lines;
    const text = line.trim();
    if (text === 'end' && depth === 0) return lines;
    if (text === 'end') depth--;
    else if (OPENS.test(text)) depth++;
    lines.push(text);
  }
}
