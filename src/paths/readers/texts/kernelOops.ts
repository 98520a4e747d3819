/**
 * Oopses and warnings of the Linux kernel. Lines are known if decode_stacktrace.sh of the kernel has been over it;
 * otherwise functions and offsets are.
 */
import { NO_FILES, type Reading, type ReportReader, textOf } from '../reading.js';
import { frameOf } from './frames.js';
import { type LineMeaning, type StackFormat, stackReports } from './stackText.js';

const TIME = /^(?:<\d+>)?\s*\[\s*\d+\.\d+\](?:\[\s*[CT]\d+\])? ?/;
const BEGIN = /^(?:BUG: |kernel BUG at |WARNING: |general protection fault|Unable to handle kernel |INFO: task |divide error)/;
const OFFSET = /^((?:\? )?)(?:\[<[\da-f]+>\] )?(?:\? )?([\w.$]+)\+0x[\da-f]+\/0x[\da-f]+(?: \[([\w-]+)[^\]]*\])?$/;
const DECODED = /^((?:\? )?)([\w.$]+) \((.+?):(\d+)(?: \(discriminator \d+\))?\)(?: ([\w-]+))?$/;

const FORMAT: StackFormat = { tool: 'linux', untitled: 'a trace of the kernel', meaningOf };

export const OOPS_READER: ReportReader = {
  name: 'oops',
  what: 'oopses and warnings of the Linux kernel',
  accepts: (beginning) => /^.*Call Trace:|^.*RIP: 00|^.*\bpc : \w+\+0x/m.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: stackReports(textOf(input), FORMAT) }),
};

function meaningOf(whole: string): LineMeaning {
  const line = whole.replace(TIME, '').trimEnd();
  const text = line.trim();
  if (/^-+\[ end trace/.test(text)) return { kind: 'end' };
  if (BEGIN.test(text)) return { kind: 'begin', message: text, rule: /^(?:BUG|WARNING|INFO|[\w ]+fault|divide error)/.exec(text)?.[0]?.toLowerCase() };
  const [, where] = /^(?:RIP|pc)\s*: ?(?:[\da-f]{4}:)?(.*)$/.exec(text) ?? [];
  const frame = where === undefined ? frameIn(text) : frameIn(where);
  if (frame !== undefined) return { kind: 'frame', isFirst: where !== undefined, frame };
  // Registers and marks are between the place and the trace, which go on from each other.
  return { kind: 'nothing' };
}

/** Frames with `?` were found on the stack, and may be of earlier calls: they are no part of the trace. */
function frameIn(text: string): ReturnType<typeof frameOf> | undefined {
  const [, doubt, name, module] = OFFSET.exec(text) ?? [];
  if (name !== undefined) return doubt === '' ? frameOf({ name, module }) : undefined;
  const [, unsure, decoded, file, line, object] = DECODED.exec(text) ?? [];
  return decoded === undefined || unsure !== '' ? undefined : frameOf({ name: decoded, file, line, module: object });
}
