/**
 * Decodes instruction after instruction from bytes of guest code. One decoder of iced-x86 serves for
 * ever: its input buffer, which we find in the memory of iced-x86's module, is overwritten for every
 * stretch of code, since making and freeing a decoder costs more than decoding a block.
 */
import { Decoder, DecoderOptions, Instruction } from 'iced-x86';
import { assert } from '../base/assert.js';
import type { GuestAddr } from '../base/types.js';
import { icedMemory, Insn } from './insn.js';

/** Longest stretch of code in bytes. */
export const MAX_STRETCH = 1024;
const LONGEST_INSTRUCTION = 15;
/** Enough to cover the fields of a decoder that point to its input. */
const DECODER_WORDS = 96;

export class CodeReader {
  /** The instruction read last. */
  readonly insn = new Insn(new Instruction());
  private readonly memory = icedMemory();
  private readonly decoder: Decoder;
  private readonly buffer: number;
  private view: Uint8Array;
  private end = 0;

  constructor() {
    const marker = Uint8Array.from({ length: MAX_STRETCH + LONGEST_INSTRUCTION }, (_, i) => (i * 167 + (i >> 3) * 89 + 41) & 0xff);
    this.decoder = new Decoder(64, marker, DecoderOptions.None);
    this.view = new Uint8Array(this.memory.buffer);
    this.buffer = this.findInput(marker);
  }

  /** One of the decoder's fields is the address of its input. */
  private findInput(marker: Uint8Array): number {
    const fields = (this.decoder as unknown as { readonly __wbg_ptr: number }).__wbg_ptr;
    const words = new Uint32Array(this.memory.buffer, fields, DECODER_WORDS);
    const at = words.find((address) => marker.every((byte, i) => this.view[address + i] === byte));
    assert(at !== undefined, 'the decoder keeps its input');
    return at;
  }

  /** Starts at `address`, whose code is `bytes` (at most MAX_STRETCH). */
  start(bytes: Uint8Array, address: GuestAddr): void {
    if (this.view.length === 0) this.view = new Uint8Array(this.memory.buffer);
    this.view.set(bytes, this.buffer);
    // Nothing of earlier code may complete an instruction that is cut off here.
    this.view.fill(0, this.buffer + bytes.length, this.buffer + bytes.length + LONGEST_INSTRUCTION);
    this.end = address + bytes.length;
    this.decoder.position = 0;
    this.decoder.ip = BigInt(address);
  }

  /** After read() said no: whether more bytes might make an instruction of it. */
  get isCutOff(): boolean {
    return this.insn.next > this.end;
  }

  /**
   * Reads the instruction at `address`, which is where the last one ended. False if there is none, or not all of it.
   */
  read(address: GuestAddr): boolean {
    this.decoder.decodeOut(this.insn.raw);
    return this.insn.refresh(address) && this.insn.next <= this.end;
  }
}
