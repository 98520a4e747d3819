/**
 * What V8 makes of modules. Optimising them takes longer than many a program runs, so the result is worth keeping; how
 * that is done is V8's own business, which those outside know (cli/v8/v8MachineCode.ts).
 */
export interface MachineCode {
  /**
   * The module with machine code that was kept of it, undefined if that is no good here: made by another V8, with other
   * flags, for another processor.
   */
  revive(bytes: Uint8Array<ArrayBuffer>, code: Uint8Array<ArrayBuffer>): WebAssembly.Module | undefined;
  /**
   * What of a module has been optimised so far; undefined if nothing has, or if it cannot be had. `functions` are the
   * module's, as far as they are still there.
   */
  keep(module: WebAssembly.Module, functions: Iterable<unknown>): Uint8Array<ArrayBuffer> | undefined;
}

/** Nothing is kept: what there is where V8 cannot be asked. */
export const NO_MACHINE_CODE: MachineCode = { revive: () => undefined, keep: () => undefined };
