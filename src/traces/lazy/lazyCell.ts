/** Values that are computed when first asked for. */
import type { Awaitable, Lazy } from '../types.js';

export class LazyCell<T> implements Lazy<T> {
  private compute: (() => Awaitable<T>) | undefined;
  private promise: Promise<T> | undefined;
  private value: T | undefined;

  constructor(compute: () => Awaitable<T>) {
    this.compute = compute;
  }

  /** A value that is there already. */
  static of<T>(value: T): LazyCell<T> {
    const cell = new LazyCell<T>(() => value);
    cell.keep(value);
    return cell;
  }

  get isForced(): boolean {
    return this.compute === undefined;
  }

  async force(): Promise<T> {
    return this.get();
  }

  /** The value, at once if that is possible. */
  get(): Awaitable<T> {
    if (this.compute === undefined) return this.value as T;
    if (this.promise !== undefined) return this.promise;
    const value = this.compute();
    if (!isPromise(value)) return this.keep(value);
    this.promise = this.keepLater(value);
    return this.promise;
  }

  /** What failed (a search that was given up) is tried again the next time. */
  private async keepLater(coming: Promise<T>): Promise<T> {
    try {
      return this.keep(await coming);
    } finally {
      this.promise = undefined;
    }
  }

  private keep(value: T): T {
    this.compute = undefined;
    this.value = value;
    return value;
  }
}

export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Goes on when the value is there: at once, if it is there already. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? value.then(next) : next(value);
}
