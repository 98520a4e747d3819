/**
 * Where calls of a function return to, as far as that can be seen in the code without running it. A search that looks
 * at results stops there; places that this misses (calls through pointers) are learned as they come, one by one, so
 * it may be too few, or too many, but it saves most of the learning.
 */
import { PF } from '../../../elf/elfHeader.js';
import { relocationsNamed } from '../../program/linkage.js';
import type { LoadedModule } from '../../program/modules.js';
import type { ProgramView } from '../../program/programView.js';

const CALL = 0xe8;
const INDIRECT = 0xff;
/** `call *x(%rip)` and `jmp *x(%rip)`: the bytes after 0xff. */
const [CALL_MEMORY, JUMP_MEMORY] = [0x15, 0x25];
/** A stub begins with its jump, or with endbr64 before it, or that and a prefix. */
const STUB_STARTS = [0, 4, 5];
/** Places in one program; a breakpoint at each. */
const MOST = 20_000;

/** `names` are those that modules call it by, `entries` where it begins. */
export function returnSites(view: ProgramView, names: ReadonlySet<string>, entries: readonly number[]): Set<number> {
  const found = new Set<number>();
  for (const module of view.modules.all) {
    const slots = new Set([...relocationsNamed(module, names)].map((slot) => slot + Number(module.bias)));
    const codes = codeOf(module);
    const targets = new Set(entries);
    for (const { bytes, start } of codes) {
      for (const at of indirect(bytes, JUMP_MEMORY)) if (slots.has(start + at + 6 + signed(bytes, at + 2))) for (const before of STUB_STARTS) targets.add(start + at - before);
      for (const at of indirect(bytes, CALL_MEMORY)) if (slots.has(start + at + 6 + signed(bytes, at + 2))) found.add(start + at + 6);
    }
    for (const { bytes, start } of codes) {
      for (let at = bytes.indexOf(CALL); at >= 0 && at + 5 <= bytes.length && found.size < MOST; at = bytes.indexOf(CALL, at + 1)) {
        if (targets.has(start + at + 5 + signed(bytes, at + 1))) found.add(start + at + 5);
      }
    }
  }
  return found;
}

function* indirect(bytes: Uint8Array, second: number): Generator<number> {
  for (let at = bytes.indexOf(INDIRECT); at >= 0 && at + 6 <= bytes.length; at = bytes.indexOf(INDIRECT, at + 1)) if (bytes[at + 1] === second) yield at;
}

function codeOf({ file: { elf }, bias }: LoadedModule): { readonly bytes: Uint8Array; readonly start: number }[] {
  return elf.loads.filter(({ flags }) => (flags & PF.X) !== 0).map((segment) => ({ bytes: elf.segmentBytes(segment), start: segment.address + Number(bias) }));
}

function signed(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
}
