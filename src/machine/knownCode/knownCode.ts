/**
 * What is known of code before it runs: a library for each list of passes that code has gone through. Code of different
 * keys is never mixed.
 */
import { CodeLibrary } from './codeLibrary.js';

export class KnownCode {
  private readonly byKey = new Map<string, CodeLibrary>();

  /** `open`: what earlier runs have left of a key; it is asked for when the first process needs it. */
  constructor(private readonly open: (key: string) => CodeLibrary = (key) => new CodeLibrary(key === '')) {}

  /** Code that went through passes with this key; that of programs as they are has the empty one. */
  library(key: string): CodeLibrary {
    let library = this.byKey.get(key);
    if (library === undefined) this.byKey.set(key, (library = this.open(key)));
    return library;
  }

  /** Those that a process has asked for. */
  get libraries(): ReadonlyMap<string, CodeLibrary> {
    return this.byKey;
  }
}
