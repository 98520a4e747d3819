/** Expressions for the terminal: `debugger/values` where the debugger stands. */
import type { BodyOptions } from '../dwarf/typeBodies.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { ProgramCalls } from '../debugger/control/programCalls.js';
import type { ValueEvaluator } from '../debugger/values/valueEvaluator.js';
import { ChangingSurroundings } from '../debugger/control/changingSurroundings.js';
import { type DebuggerFacts, ProgramSurroundings } from '../debugger/values/programSurroundings.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { decayed } from '../debugger/values/arithmetic.js';
import { completeExpression } from '../debugger/values/completion.js';
import { Examiner } from '../debugger/values/examine.js';
import { instructionText } from '../debugger/values/instructionText.js';
import { unlessFailed } from '../debugger/values/expressionError.js';
import type { Value } from '../debugger/values/value.js';
import { Expressions } from '../debugger/values/expressions.js';
import { argumentsOf, frameArgumentsText, localsOf, variableText } from '../debugger/values/frameVariables.js';
import { LONG } from '../debugger/values/madeTypes.js';
import { parsePrintRequest, printCommand } from '../debugger/values/printCommand.js';
import { printfText } from '../debugger/values/printf/printfText.js';
import { DEFAULT_SETTINGS, type PrintSettings } from '../debugger/values/print/settings.js';
import { registerValue } from '../debugger/values/registers.js';
import { integerValue, natureOf, rawBits, toInteger } from '../debugger/values/scalars.js';
import type { CodeText, Language } from './language.js';
import { printOption, shownOption } from './printOptions.js';

/** Registers for floating point have 80 bits. */
const EXTENDED_DIGITS = 20;
const MOST_COMPLETIONS = 500;

export class ValueLanguage implements Language {
  private examiner = new Examiner();
  private readonly variables = new Map<string, bigint>();
  settings: PrintSettings = DEFAULT_SETTINGS;
  /** `$_siginfo`, while an expression asks for it: to know it the program has to be moved. */
  private signal: Uint8Array | undefined;

  constructor(
    private readonly evaluator: ValueEvaluator,
    private readonly debug: Debugger,
  ) {}

  async print(args: string): Promise<string> {
    this.signal = /\$_siginfo\b/.test(args) ? await this.debug.signalInfo() : undefined;
    return this.writing((expressions) => {
      const { text, warnings } = printCommand(expressions, args);
      return [...warnings, text].join('\n');
    });
  }

  async output(args: string): Promise<string> {
    return this.writing((expressions) => {
      const { expression, settings } = parsePrintRequest(args);
      return expressions.text(expressions.evaluate(expression), settings);
    });
  }

  async examine(args: string, flavor: string): Promise<string> {
    this.examiner.flavor = flavor === 'intel' ? 'intel' : 'att';
    const { text, error } = this.examiner.examine(this.expressions(), args);
    return error === undefined ? text : `${text}${error.message}\n`;
  }

  async printf(args: string, isForTerminal = false): Promise<string> {
    return this.writing((expressions) => printfText(expressions, args, isForTerminal));
  }

  code(address: bigint, flavor: string): CodeText {
    return instructionText(this.expressions().around, address, flavor === 'intel' ? 'intel' : 'att');
  }

  async assign(expression: string): Promise<void> {
    await this.writing((expressions) => void expressions.evaluate(expression).kept());
  }

  ptype(args: string): string {
    return this.expressions().ptype(withoutFlags(args), bodyOptions(/^\/(\w+)/.exec(args)?.[1] ?? ''));
  }

  whatis(args: string): string {
    return `type = ${this.expressions().whatis(withoutFlags(args), /^\/\w*r/.test(args))}`;
  }

  locals(frame: VisibleFrame): string[] {
    const expressions = this.expressions(frame);
    return localsOf(expressions).map(({ name, value }) => `${name} = ${variableText(expressions, name, value)}`);
  }

  arguments(frame: VisibleFrame): string[] {
    const expressions = this.expressions(frame);
    return argumentsOf(expressions).map(({ name, value }) => `${name} = ${variableText(expressions, name, value)}`);
  }

  frameArguments(frame: VisibleFrame): string {
    return frameArgumentsText(this.expressions(frame));
  }

  register(name: string, frame: VisibleFrame): readonly [string, string] | undefined {
    const expressions = this.expressions(frame);
    const value = registerValue(expressions.around, name);
    if (value === undefined || unlessFailed(() => value.bytes, () => undefined) === undefined) return undefined;
    const natural = expressions.printer().nested(value, 0);
    if (value.plain.kind === 'struct') return [expressions.printer({ format: 'x' }).nested(value, 0), ''];
    if (natureOf(value.plain) === 'float') return [natural, `(raw 0x${rawBits(value).toString(16).padStart(EXTENDED_DIGITS, '0')})`];
    return [`0x${BigInt.asUintN(64, unlessFailed(() => toInteger(decayed(value)), () => 0n)).toString(16)}`, natural];
  }

  evaluated(expression: string): Value {
    return this.expressions().evaluate(expression);
  }

  number(expression: string): bigint {
    return toInteger(decayed(this.expressions().evaluate(expression)));
  }

  remember(text: string): string {
    const { lastReturned, history } = this.evaluator;
    return lastReturned === undefined ? text : `$${history.add(lastReturned)} = ${text}`;
  }

  remembering(): () => void {
    const { evaluator: { history }, examiner } = this;
    const [length, before] = [history.length, examiner.copy()];
    return () => {
      history.forgetAfter(length);
      this.examiner = before.copy();
    };
  }

  setVariable(name: string, value: bigint): void {
    this.variables.set(name, value);
    this.evaluator.history.set(name, integerValue(this.expressions().around, LONG, value));
  }

  setPrint(name: string, value: string): void {
    this.settings = { ...this.settings, ...printOption(name, value) };
  }

  showPrint(name: string): string {
    return shownOption(name, this.settings);
  }

  complete(text: string): readonly string[] {
    const expressions = this.expressions();
    // Of the program: to read all names of libraries takes seconds.
    return completeExpression(expressions, text, { modules: expressions.around.modules.slice(0, 1), most: MOST_COMPLETIONS }).names.map(({ name }) => name);
  }

  expressions(frame: VisibleFrame | undefined = this.debug.frame): Expressions {
    return new Expressions(new ProgramSurroundings(this.debug.program(), frame, this.facts), this.evaluator.history, this.settings);
  }

  private readonly facts: DebuggerFacts = { variable: (name) => this.variable(name), signalInfo: () => this.signal };

  /** What the debugger knows by names of its own. */
  private variable(name: string): bigint | undefined {
    const id = this.debug.thread?.id;
    if (name === '_thread' || name === '_gthread') return BigInt(id ?? 0);
    return name === '_inferior' ? 1n : this.variables.get(name);
  }

  /** Evaluates, again after every call that has to be made for it; then makes a branch of what was written. */
  private async writing<T>(action: (expressions: Expressions) => T): Promise<T> {
    const { debug } = this;
    const calls = new ProgramCalls(debug);
    const { result, writes } = await calls.complete(() => {
      const around = new ChangingSurroundings(debug.program(), debug.frame, { ...this.facts, call: calls.result });
      return { result: action(new Expressions(around, this.evaluator.history, this.settings)), writes: around.takeWrites() };
    });
    if (writes.length > 0) await debug.write(writes);
    return result;
  }
}

/** Letters after `ptype/`. */
function bodyOptions(flags: string): BodyOptions {
  const layout = !flags.includes('o') ? undefined : flags.includes('x') ? 'hexadecimal' : 'decimal';
  return { isRaw: flags.includes('r'), ...(flags.includes('m') ? { withoutMethods: true } : {}), ...(flags.includes('t') ? { withoutTypedefs: true } : {}), layout };
}

function withoutFlags(args: string): string {
  return args.replace(/^\/\w+\s*/, '');
}
