import type { Output } from './bruteInstances.js';

/** What defined each byte. Shared ones are elsewhere, where others find them, too. */
export class BruteMemory extends Map<number, Output> {
  constructor(
    entries: Iterable<readonly [number, Output]>,
    readonly shared: { readonly first: number; readonly bytes: number; readonly content: Map<number, Output>; readonly position: number }[],
  ) {
    super();
    for (const [linear, output] of entries) super.set(linear, output);
  }

  override get(linear: number): Output | undefined {
    const own = this.sharedAt(linear);
    return own === undefined ? super.get(linear) : own.content.get(own.place);
  }

  override set(linear: number, output: Output): this {
    const own = this.sharedAt(linear);
    if (own === undefined) return super.set(linear, output);
    own.content.set(own.place, output);
    return this;
  }

  private sharedAt(linear: number): { readonly content: Map<number, Output>; readonly place: number } | undefined {
    for (const { first, bytes, content, position } of this.shared ?? []) if (linear >= first && linear < first + bytes) return { content, place: position + linear - first };
    return undefined;
  }
}
