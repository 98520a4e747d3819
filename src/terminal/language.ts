/**
 * What the terminal needs of expressions: texts as gdb prints them. All of it is about the selected frame unless one is
 * given. Mistakes are UserErrors. Promises where a value may have to be written, for which a branch is begun.
 */
import type { Value } from '../debugger/values/value.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';

export interface Language {
  /** All after `print`: options, `/FMT`, an expression. `$1 = 3`, or nothing for void statements without a value. */
  print(args: string): Promise<string>;
  /** `print` without `$1 = `, and not remembered. */
  output(args: string): Promise<string>;
  /** All after `x`: `/FMT` and an address, or nothing for what comes next. Ends with a newline. */
  examine(args: string, flavor: string): Promise<string>;
  /** One instruction. */
  code(address: bigint, flavor: string): CodeText;
  /** `"format", values`. `isForTerminal`: strings of the program's must not control it. */
  printf(args: string, isForTerminal?: boolean): Promise<string>;
  /** Does something for its effect: `x = 3`. */
  assign(expression: string): Promise<void>;
  ptype(args: string): string;
  whatis(args: string): string;
  /** `x = 1`, one per line, innermost block first; empty if there are none. */
  locals(frame: VisibleFrame): string[];
  /** The same of arguments. */
  arguments(frame: VisibleFrame): string[];
  /** What stands between the parentheses of a frame: `argc=1, argv=0x7ffe...`. */
  frameArguments(frame: VisibleFrame): string;
  /**
   * A register's value as `info registers` shows it, in its two columns. Undefined if there is no such register here.
   */
  register(name: string, frame: VisibleFrame): readonly [string, string] | undefined;
  /** What an expression comes to, with its type. */
  evaluated(expression: string): Value;
  /** A number, for counts and addresses. */
  number(expression: string): bigint;
  /** A number remembered as the next `$N`; for the value that `finish` shows. */
  remember(expression: string): string;
  /** Puts back what is remembered of values that were shown, to how it is now: for who shows something once more. */
  remembering(): () => void;
  setVariable(name: string, value: bigint): void;
  /** `set print NAME VALUE` */
  setPrint(name: string, value: string): void;
  /** What `show print NAME` says. */
  showPrint(name: string): string;
  /** Names that may stand where `text` ends: variables, members, types. */
  complete(text: string): readonly string[];
}

export interface CodeText {
  readonly text: string;
  readonly length: number;
  readonly bytes: Uint8Array;
}
