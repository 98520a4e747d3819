/** Instructions of the program as IR, one by one, kept by address as long as their bytes are the same. */
import { type GuestAddr, guestAddr, PAGE_SIZE } from '../base/types.js';
import type { Block } from '../ir/ir.js';
import type { State } from '../replay/timeline/state.js';
import { Translator } from '../x86/translate.js';

const LONGEST_INSTRUCTION = 15;
const MOST_KEPT = 100_000;

/** Bytes of code at an address, at most as many as an instruction has. */
export function codeAt(state: State, thread: number, address: GuestAddr): Uint8Array {
  const whole = state.read(thread, address, LONGEST_INSTRUCTION);
  const part = whole ?? state.read(thread, address, PAGE_SIZE - (address % PAGE_SIZE));
  return part?.slice(0, LONGEST_INSTRUCTION) ?? new Uint8Array();
}

export class Instructions {
  private readonly kept = new Map<number, { readonly code: Uint8Array; readonly block: Block | null }>();
  private code = new Uint8Array();
  private readonly translator = new Translator((_address, length) => this.code.subarray(0, length));

  /** Null if these bytes are no instruction. */
  at(address: GuestAddr, code: Uint8Array): Block | null {
    const known = this.kept.get(address);
    if (known !== undefined && isSame(known.code, code)) return known.block;
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.code = Uint8Array.from(code);
    const block = code.length === 0 ? null : this.translator.translate(address, 1);
    this.kept.set(address, { code: this.code, block });
    return block;
  }

  /** All instructions of a piece of code. */
  *all(start: GuestAddr, code: Uint8Array): Generator<{ readonly address: GuestAddr; readonly block: Block }> {
    for (let offset = 0; offset < code.length;) {
      const address = guestAddr(start + offset);
      const block = this.at(address, code.subarray(offset, offset + LONGEST_INSTRUCTION));
      if (block === null) return;
      yield { address, block };
      offset += Math.max(1, block.next - address);
    }
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Whether it goes to another function, and back. */
export function isCall({ end }: Block): boolean {
  return end.kind === 'call' || (end.kind === 'indirect' && end.via === 'call');
}

export function isReturn({ end }: Block): boolean {
  return end.kind === 'indirect' && end.via === 'return';
}
