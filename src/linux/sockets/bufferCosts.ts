/**
 * What a message costs its sender: Linux counts the memory of its buffers, not the bytes in them, and
 * programs that write until they would have to wait see the difference.
 */

const HEADER = 256;
/** struct skb_shared_info behind the bytes. */
const SHARED_INFO = 320;
const SMALLEST_BLOCK = 512;
const PAGE = 4096;
/** The most bytes of a one-page and of a four-page block. */
const ONE_PAGE = PAGE - SHARED_INFO;
const FOUR_PAGES = 4 * PAGE - SHARED_INFO;
/** Pages beyond the first block that one buffer of a stream has. */
const STREAM_PAGES = 32_768;

function blockCost(bytes: number): number {
  let block = SMALLEST_BLOCK;
  while (block < Math.ceil(bytes / 64) * 64 + SHARED_INFO) block *= 2;
  return HEADER + block;
}

function pageAlign(bytes: number): number {
  return Math.ceil(bytes / PAGE) * PAGE;
}

/** How many bytes of a stream go into one buffer. */
export function streamChunk(length: number, sendBuffer: number): number {
  return Math.min(length, (sendBuffer >> 1) - 64, ONE_PAGE + STREAM_PAGES);
}

export function streamCost(length: number): number {
  const inPages = Math.min(length, pageAlign(Math.max(0, length - ONE_PAGE)));
  return blockCost(length - inPages) + pageAlign(inPages);
}

export function datagramCost(length: number): number {
  const inPages = length > FOUR_PAGES ? pageAlign(length - FOUR_PAGES) : 0;
  return blockCost(length - inPages) + inPages;
}
