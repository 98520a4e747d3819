/**
 * Shared memory is in the memory of a space only while a walk goes through what that space's threads did. Otherwise it
 * is a channel, which others see, too.
 */
import type { SharedRange } from '../trace/sharedRanges.js';
import type { ChannelWants } from './channelWants.js';
import { linearOf, type MemoryWants } from './memoryWants.js';

export function bringShared(ranges: readonly SharedRange[], memory: MemoryWants, channels: ChannelWants): void {
  for (const { address, bytes, channel, position } of ranges) {
    channels.take(channel, position, bytes, (at, set) => memory.add(linearOf(address + at - position), 1, set));
  }
}

export function putSharedAway(ranges: readonly SharedRange[], memory: MemoryWants, channels: ChannelWants): void {
  for (const { address, bytes, channel, position } of ranges) {
    memory.take(linearOf(address), bytes, (linear, set) => channels.add(channel, position + linear - linearOf(address), set));
  }
}
