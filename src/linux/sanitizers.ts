/**
 * Programs that compilers have built checks into which need a shadow of all memory: terabytes of addresses, which we do
 * not have.
 */
import { CodeNames } from './tasks/codeNames.js';
import type { Process } from './process.js';

interface Sanitizer {
  readonly name: string;
  readonly flag: string;
}

interface KnownSanitizer extends Sanitizer {
  readonly library: RegExp;
  /** What a program has that has it linked in. */
  readonly symbol: string;
}

const KNOWN: readonly KnownSanitizer[] = [
  { name: 'AddressSanitizer', flag: '-fsanitize=address', library: /\/lib(?:clang_rt\.)?asan[-.\w]*\.so/, symbol: '__asan_init' },
  { name: 'HWAddressSanitizer', flag: '-fsanitize=hwaddress', library: /\/lib(?:clang_rt\.)?hwasan[-.\w]*\.so/, symbol: '__hwasan_init' },
  { name: 'ThreadSanitizer', flag: '-fsanitize=thread', library: /\/lib(?:clang_rt\.)?tsan[-.\w]*\.so/, symbol: '__tsan_init' },
  { name: 'MemorySanitizer', flag: '-fsanitize=memory', library: /\/lib(?:clang_rt\.)?msan[-.\w]*\.so/, symbol: '__msan_init' },
];

/**
 * Asked when a process has failed: looks at what it has mapped, and, if `thoroughly`, at the symbols of its program.
 */
export function sanitizerIn(process: Process, thoroughly: boolean): Sanitizer | undefined {
  const mappings = process.space.mappings();
  const inLibrary = KNOWN.find(({ library }) => mappings.some(({ name }) => library.test(name)));
  if (inLibrary !== undefined || !thoroughly) return inLibrary;
  const names = new CodeNames(process.host);
  return KNOWN.find(({ symbol }) => names.defines(process.exe, symbol));
}
