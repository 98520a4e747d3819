/** All readers, and which one is for a file: what it begins with decides, never its name. */
import { UserError } from '../../base/errors.js';
import { PLIST_READER } from './clangPlist.js';
import { CPPCHECK_READER } from './cppcheckXml.js';
import { GCC_READER } from './gccJson.js';
import { INFER_READER } from './inferJson.js';
import { OWN_READER } from './ownJson.js';
import { PATHREPORT_READER } from './pathreport.js';
import type { Reading, ReportInput, ReportReader } from './reading.js';
import { SARIF_READER } from './sarif/sarif.js';
import { COMPILER_READER } from './texts/compilerText.js';
import { GDB_READER } from './texts/gdb.js';
import { OOPS_READER } from './texts/kernelOops.js';
import { SANITIZER_READER } from './texts/sanitizer.js';
import { VALGRIND_READER } from './texts/valgrind.js';

/** In the order in which they are asked. */
const READERS: readonly ReportReader[] = [
  OWN_READER, SARIF_READER, INFER_READER, GCC_READER, PLIST_READER, CPPCHECK_READER, PATHREPORT_READER,
  SANITIZER_READER, VALGRIND_READER, OOPS_READER, GDB_READER, COMPILER_READER,
];

const BEGINNING = 64 * 1024;

/** Throws a UserError if no reader knows it. */
export function readReports(input: ReportInput, format?: string): Reading {
  if (format !== undefined) return named(format).read(input);
  const beginning = beginningOf(input);
  const reader = READERS.find((one) => one.accepts(beginning));
  if (reader === undefined) throw new UserError(`${input.name}: this is no report that is known; --format says what it is (${READERS.map(({ name }) => name).join(', ')})`);
  return reader.read(input);
}

function named(format: string): ReportReader {
  const reader = READERS.find(({ name }) => name === format);
  if (reader === undefined) throw new UserError(`--format ${format} is not known; there are ${READERS.map(({ name }) => name).join(', ')}`);
  return reader;
}

function beginningOf(input: ReportInput): string {
  const decoder = new TextDecoder('utf-8');
  let [text, length] = ['', 0];
  for (const chunk of input.chunks()) {
    text += decoder.decode(chunk.subarray(0, BEGINNING - length), { stream: true });
    length += chunk.length;
    if (length >= BEGINNING) break;
  }
  return text.replace(/^\ufeff/, '');
}
