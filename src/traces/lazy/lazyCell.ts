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

  force(): Promise<T> {
    this.promise ??= this.begin();
    return this.promise;
  }

  /** What failed (a search that was given up) is tried again the next time. */
  private async begin(): Promise<T> {
    if (this.compute === undefined) return this.value as T;
    try {
      return this.keep(await this.compute());
    } catch (error) {
      this.promise = undefined;
      throw error;
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
