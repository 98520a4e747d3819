/**
 * The bytes of files, pipes and sockets that are wanted, and by which nodes; or, of a walk forward, what defined those
 * that are influenced. There are few, and positions may be large.
 */
import { NO_WANTERS, type WanterSet, type Wanters } from './wanters.js';

export class ChannelWants {
  private readonly channels = new Map<string, Map<number, WanterSet>>();

  constructor(private readonly wanters: Wanters) {}

  get isEmpty(): boolean {
    return this.channels.size === 0;
  }

  at(channel: string, position: number): WanterSet {
    return this.channels.get(channel)?.get(position) ?? NO_WANTERS;
  }

  add(channel: string, position: number, own: WanterSet): void {
    this.set(channel, position, this.wanters.union(this.at(channel, position), own));
  }

  set(channel: string, position: number, own: WanterSet): void {
    let bytes = this.channels.get(channel);
    if (bytes === undefined) {
      if (own === NO_WANTERS) return;
      this.channels.set(channel, (bytes = new Map()));
    }
    if (own !== NO_WANTERS) bytes.set(position, own);
    else if (bytes.delete(position) && bytes.size === 0) this.channels.delete(channel);
  }

  /** Of so many bytes: those that are wanted, which they are no more. */
  take(channel: string, first: number, count: number, taken: (position: number, wanters: WanterSet) => void): void {
    const bytes = this.channels.get(channel);
    if (bytes === undefined) return;
    const found = bytes.size < count
      ? [...bytes].filter(([position]) => position >= first && position < first + count)
      : Array.from({ length: count }, (_, i) => [first + i, bytes.get(first + i) ?? NO_WANTERS] as const).filter(([, set]) => set !== NO_WANTERS);
    for (const [position] of found) bytes.delete(position);
    if (bytes.size === 0) this.channels.delete(channel);
    for (const [position, set] of found) taken(position, set);
  }
}
