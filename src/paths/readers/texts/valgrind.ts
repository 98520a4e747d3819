/** Messages of valgrind's tools: paragraphs of lines that begin with the process, each with one stack or more. */
import { NO_FILES, type Reading, type ReportReader, textOf } from '../reading.js';
import { frameOf } from './frames.js';
import { type LineMeaning, type StackFormat, stackReports } from './stackText.js';

const LINE = /^(?:==|--)\d+(?:==|--) ?(.*)$/;
const FRAME = /^\s+(at|by) 0x[\dA-Fa-f]+: (.*)$/;

const FORMAT: StackFormat = { tool: 'valgrind', untitled: 'a message of valgrind', meaningOf };

export const VALGRIND_READER: ReportReader = {
  name: 'valgrind',
  what: "messages of valgrind's tools",
  accepts: (beginning) => /^==\d+== (?:Memcheck|Helgrind|DRD|\S.*detector|\s+(?:at|by) 0x)/m.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: stackReports(textOf(input), FORMAT) }),
};

function meaningOf(line: string): LineMeaning {
  const [, text] = LINE.exec(line) ?? [];
  // The program's own output is between.
  if (text === undefined) return { kind: 'nothing' };
  if (text.trim() === '') return { kind: 'end' };
  const [, word, rest] = FRAME.exec(text) ?? [];
  if (word !== undefined && rest !== undefined) return { kind: 'frame', isFirst: word === 'at', frame: frameIn(rest) };
  return { kind: 'other', text: text.trim() };
}

/** `main (a.c:7)`, `free (in /usr/lib/vgpreload.so)`, `f(int) (a.cpp:3)`. */
function frameIn(text: string): ReturnType<typeof frameOf> {
  const [, name = text, place = ''] = /^(.*) \(([^()]*)\)$/.exec(text) ?? [];
  if (place.startsWith('in ')) return frameOf({ name, module: place.slice('in '.length) });
  const [, file, line] = /^(.*):(\d+)$/.exec(place) ?? [];
  return frameOf({ name, file, line });
}
