/**
 * Things that are made once for the same arguments: objects and functions are the same if they are identical. Nothing
 * is kept alive by being a key.
 */
export class Interned {
  private readonly byObject = new WeakMap<object, Interned>();
  private readonly byValue = new Map<unknown, Interned>();
  private made: unknown;

  /** `make` has to return the same type for the same first key. */
  get<T>(keys: readonly unknown[], make: () => T): T {
    const at = keys.reduce<Interned>((node, key) => node.next(key), this);
    at.made ??= make();
    return at.made as T;
  }

  private next(key: unknown): Interned {
    const table = isObject(key) ? this.byObject : this.byValue;
    let next = table.get(key as object);
    if (next === undefined) table.set(key as object, (next = new Interned()));
    return next;
  }
}

function isObject(key: unknown): boolean {
  return (typeof key === 'object' && key !== null) || typeof key === 'function';
}
