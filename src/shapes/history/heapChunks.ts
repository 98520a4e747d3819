/**
 * Chunks of glibc's heap as nodes: each block of malloc has a header before it, which a program that stays within its
 * blocks never writes to. Nothing has to be known of the program, nor of its library, whose debug information is rarely
 * there: the header has been the same for decades (malloc_chunk in malloc/malloc.c of glibc).
 */
import type { Type } from '../../dwarf/types.js';
import { VoidType } from '../../dwarf/types.js';
import type { Block } from './blocks.js';
import type { NodeType } from './debugTypes.js';
import type { MemoryField } from './flatten.js';
import type { NodeMemory } from './nodes.js';

export const CHUNK_TYPE = 'struct malloc_chunk';
/** From the beginning of a chunk to its block. */
const HEADER = 16;
/** Of the smallest chunk: what is behind belongs to the block, or to the next chunk. */
const BYTES = 32;

/** `pointee`: what the specification calls it. */
export function chunkType(name: string): NodeType {
  const field = (index: number, name_: string, kind: 'unsigned' | 'pointer'): MemoryField => ({ index, name: name_, offset: (index - 1) * 8, bytes: 8, kind, ...(kind === 'pointer' ? { pointee: name } : {}) });
  const type: Type = new VoidType();
  return { name, bytes: BYTES, type, fields: [field(1, 'mchunk_prev_size', 'unsigned'), field(2, 'mchunk_size', 'unsigned'), field(3, 'fd', 'pointer'), field(4, 'bk', 'pointer')] };
}

/** While its block is the program's. */
export function chunkOf({ address, made, gone, site, thread, goneTo, goneThread }: Block, type: NodeType): NodeMemory {
  return { type, address: address - HEADER, bytes: BYTES, made, gone, madeBy: { address: site - 1, thread }, goneBy: { address: goneTo - 1, thread: goneThread } };
}
