/** Reports of the sanitizers: Address, Thread, Leak, Memory; they write frames alike. */
import { NO_FILES, type Reading, type ReportReader, textOf } from '../reading.js';
import { frameOf, placeIn } from './frames.js';
import { type LineMeaning, type StackFormat, stackReports } from './stackText.js';

const BEGIN = /^(?:==\d+==\s*)?(?:ERROR|WARNING): (\w+Sanitizer): (.*)$/;
const FRAME = /^\s*#(\d+) (?:0x[\da-f]+ )?(?:in )?(.*)$/;
const END = /^SUMMARY: \w+Sanitizer/;

const FORMAT: StackFormat = { tool: 'sanitizer', untitled: 'a report of a sanitizer', meaningOf };

export const SANITIZER_READER: ReportReader = {
  name: 'sanitizer',
  what: 'AddressSanitizer, ThreadSanitizer, LeakSanitizer, MemorySanitizer',
  accepts: (beginning) => /(?:ERROR|WARNING): \w+Sanitizer: /.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: stackReports(textOf(input), FORMAT) }),
};

function meaningOf(line: string): LineMeaning {
  const [, tool, message] = BEGIN.exec(line) ?? [];
  if (tool !== undefined && message !== undefined) return { kind: 'begin', message: `${tool}: ${message}`, rule: /^[\w-]+(?: race)?/.exec(message)?.[0] };
  if (END.test(line)) return { kind: 'end' };
  const [, number, rest] = FRAME.exec(line) ?? [];
  if (number !== undefined && rest !== undefined) return { kind: 'frame', isFirst: number === '0', frame: frameIn(rest) };
  return { kind: 'other', text: line.trim().replace(/^==\d+==\s*/, '') };
}

/** `main /tmp/a.c:5:3 (a.out+0x1139) (BuildId: ...)`, `free (/lib/libasan.so.8+0xb9)`, `malloc ../../src/a.cpp:69`. */
function frameIn(text: string): ReturnType<typeof frameOf> {
  const bare = text.replace(/ \(BuildId: [\da-f]*\)$/, '');
  const [, before = bare, module] = /^(.*?)\s*\(([^()]*\+0x[\da-f]+)\)$/.exec(bare) ?? [];
  const [, name = before, place] = /^(.*\S) (\S*[/.]\S*?(?::\d+)*|\S+:\d+(?::\d+)?)$/.exec(before) ?? [];
  return frameOf({ name: name === '<null>' ? undefined : name, module, ...(place === undefined || place === '<null>' ? {} : placeIn(place)) });
}
