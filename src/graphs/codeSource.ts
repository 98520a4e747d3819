/** What the recovery of functions may ask about code. Addresses are those of the running program. */

export interface CodeStretch {
  readonly start: number;
  /** The first address after it. */
  readonly end: number;
}

export interface KnownFunction {
  readonly entry: number;
  readonly name: string | undefined;
  /** Parts that the compiler put elsewhere included, where they are known. */
  readonly ranges: readonly CodeStretch[];
  /** Debug information says that it never returns. */
  readonly neverReturns?: boolean;
}

export interface CodeSource {
  /** At most `length` bytes of code or data at an address; fewer if they end there. */
  fetch(address: number, length: number): Uint8Array;
  /** The function that begins there according to symbols, debug information or .eh_frame. */
  functionAt(address: number): KnownFunction | undefined;
  /** The function whose ranges contain the address. */
  functionAround(address: number): KnownFunction | undefined;
  /** Handlers of exceptions of the code that begins there, where tables say so. */
  handlersOf?(address: number): readonly number[];
  /** Name of the function that a call goes to, through stubs of the linker, too: the symbol's, as it is in the file. */
  nameOf(address: number): string | undefined;
}
