/**
 * What a system call read from the program's memory: paths, buffers to be written. Short ones are recorded as they are,
 * of long ones only a hash: they are there to be compared, not to be used.
 */
import type { LogReader } from './logReader.js';
import type { LogWriter } from './logWriter.js';
import { quickHash } from './quickHash.js';

export interface Input {
  readonly space: number;
  readonly address: number;
  readonly length: number;
  /** The bytes themselves up to LONGEST_INPUT, otherwise their hash. */
  readonly content: Uint8Array | number;
}

const LONGEST_INPUT = 128;

/** `bytes`: where they lie in linear memory. */
export function writeInput(w: LogWriter, space: number, address: number, bytes: Uint8Array): void {
  w.num(space);
  w.num(address);
  w.num(bytes.length);
  if (bytes.length <= LONGEST_INPUT) w.raw(bytes);
  else w.num(quickHash(bytes));
}

export function readInput(r: LogReader): Input {
  const [space, address, length] = [r.num(), r.num(), r.num()];
  return { space, address, length, content: length <= LONGEST_INPUT ? r.raw(length) : r.num() };
}

/** What is different, in words; undefined if it is the same. `bytes`: what is there now, undefined if nothing. */
export function differenceFrom({ content }: Input, bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return `recorded ${shown(content)}, found nothing mapped`;
  if (typeof content === 'number') {
    const found = quickHash(bytes);
    return found === content ? undefined : `recorded ${shown(content)}, found ${shown(found)}`;
  }
  for (let i = 0; i < content.length; i++) if (content[i] !== bytes[i]) return `recorded ${shown(content)}, found ${shown(bytes)}`;
  return undefined;
}

function shown(content: Uint8Array | number): string {
  if (typeof content === 'number') return `bytes with hash ${content.toString(16)}`;
  const isText = content.every((byte) => byte === 0 || byte === 0x0a || (byte >= 0x20 && byte < 0x7f));
  if (isText && content.length > 0) return JSON.stringify(String.fromCharCode(...content));
  return `bytes ${Array.from(content, (byte) => byte.toString(16).padStart(2, '0')).join(' ')}`;
}
