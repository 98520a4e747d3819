/**
 * The first words on the stack of a new program, laid out byte for byte as Linux does it
 * (fs/exec.c, create_elf_tables): a program's crashes depend on where its arguments lie.
 * From the top of the stack downwards:
 *
 *   8 zero bytes, file name, environment strings, argument strings   (each in order, NUL-terminated)
 *   padding to 16, "x86_64", 16 random bytes, padding to 16
 *   auxiliary vector, NULL, environment pointers, NULL, argument pointers, argc   <- rsp
 */
import { UserError } from '../../base/errors.js';
import { PAGE_SIZE, guestAddr, pageFloor } from '../../base/types.js';
import { PROT, anonymousMapping, type AddressSpace } from '../../machine/addressSpace.js';
import type { MemoryLayout } from './memoryLayout.js';

interface StackContents {
  readonly fileName: Uint8Array;
  readonly argv: readonly Uint8Array[];
  readonly envp: readonly Uint8Array[];
  readonly random16: Uint8Array;
  readonly executable: boolean;
  /** The auxiliary vector, without the end mark, once the addresses of its strings are known. */
  auxv(strings: { readonly random: number; readonly platform: number; readonly fileName: number }): readonly [number, number][];
}

export interface InitialStack {
  /** The stack pointer at the program's first instruction. */
  readonly pointer: number;
  readonly argStart: number;
  readonly argEnd: number;
  readonly envStart: number;
  readonly envEnd: number;
  /** As /proc/self/auxv shows it. */
  readonly auxv: Uint8Array;
}

const PLATFORM = new TextEncoder().encode('x86_64\0');
/** The stack starts so much larger than its strings. */
const STACK_EXPAND = 128 * 1024;
/** Most that arguments and environment may take: a quarter of the stack limit, at most 6 MiB. */
const MOST_STRINGS = 6 * 1024 * 1024;

export function buildInitialStack(space: AddressSpace, layout: MemoryLayout, contents: StackContents): InitialStack {
  const { argv, envp, fileName } = contents;
  checkSize(space, contents);
  const nameAt = layout.stackTop - 8 - (fileName.length + 1);
  const envStart = nameAt - totalLength(envp);
  const argStart = envStart - totalLength(argv);
  const aligned = argStart - layout.stackShift - ((argStart - layout.stackShift) % 16);
  const platformAt = aligned - PLATFORM.length;
  const randomAt = platformAt - 16;
  const auxv = encodeAuxv([...contents.auxv({ random: randomAt, platform: platformAt, fileName: nameAt }), [0, 0]]);
  const words = 1 + argv.length + 1 + envp.length + 1;
  const unaligned = randomAt - auxv.length - words * 8;
  const pointer = unaligned - (unaligned % 16);

  mapStack(space, layout.stackTop, argStart, pointer, contents.executable);
  space.poke(nameAt, fileName);
  space.poke(randomAt, contents.random16);
  space.poke(platformAt, PLATFORM);
  const argPointers = writeStrings(space, argStart, argv);
  const envPointers = writeStrings(space, envStart, envp);
  space.poke(pointer, encodeWords([argv.length, ...argPointers, 0, ...envPointers, 0]));
  space.poke(pointer + words * 8, auxv);
  return { pointer, argStart, argEnd: envStart, envStart, envEnd: nameAt, auxv };
}

function checkSize(space: AddressSpace, contents: StackContents): void {
  const { argv, envp } = contents;
  const size = totalLength(argv) + totalLength(envp) + 8 * (argv.length + envp.length);
  if (size > Math.min(MOST_STRINGS, space.stackLimit / 4)) {
    throw new UserError(`${String.fromCharCode(...contents.fileName.subarray(0, 4096))}: Argument list too long`, 126);
  }
}

function mapStack(space: AddressSpace, top: number, stringsAt: number, pointer: number, executable: boolean): void {
  const wanted = pageFloor(Math.min(stringsAt, top - PAGE_SIZE)) - STACK_EXPAND;
  // Without a limit it may be as low as it likes.
  const lowest = Number.isFinite(space.stackLimit) ? top - Math.max(pageFloor(space.stackLimit), top - pageFloor(stringsAt)) : 0;
  const start = Math.min(Math.max(wanted, lowest), pageFloor(pointer));
  const prot = PROT.READ | PROT.WRITE | (executable ? PROT.EXEC : 0);
  space.map(anonymousMapping({ start: guestAddr(start), end: guestAddr(top), prot, name: '[stack]', growsDown: true }));
}

function totalLength(strings: readonly Uint8Array[]): number {
  return strings.reduce((sum, s) => sum + s.length + 1, 0);
}

/** Writes the strings one after the other and returns where each went. */
function writeStrings(space: AddressSpace, start: number, strings: readonly Uint8Array[]): number[] {
  const block = new Uint8Array(totalLength(strings));
  const addresses: number[] = [];
  let at = 0;
  for (const s of strings) {
    addresses.push(start + at);
    block.set(s, at);
    at += s.length + 1;
  }
  space.poke(start, block);
  return addresses;
}

function encodeWords(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(words.length * 8);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => {
    view.setUint32(i * 8, word % 0x1_0000_0000, true);
    view.setUint32(i * 8 + 4, Math.floor(word / 0x1_0000_0000), true);
  });
  return bytes;
}

function encodeAuxv(entries: readonly (readonly [number, number])[]): Uint8Array {
  return encodeWords(entries.flat());
}
