/**
 * Command-line arguments as the bytes they are. Node decodes them as UTF-8, which loses bytes that
 * are none; the kernel still has them.
 */
import fs from 'node:fs';
import { bytePath, bytePathFromText, type BytePath } from '../../base/bytePath.js';

const REPLACEMENT = '\ufffd';

/** The last arguments of our own command line, `args` being what Node made of them. */
export function rawTail(args: readonly string[]): BytePath[] {
  const raw = args.some((arg) => arg.includes(REPLACEMENT)) ? commandLine() : undefined;
  if (raw === undefined || raw.length < args.length) return args.map(bytePathFromText);
  return raw.slice(raw.length - args.length).map(bytePath);
}

function commandLine(): string[] | undefined {
  try {
    return fs.readFileSync('/proc/self/cmdline', 'latin1').split('\0').slice(0, -1);
  } catch {
    return undefined;
  }
}
