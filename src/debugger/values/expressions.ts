/**
 * The one door to values for debuggers: expressions in the selected frame, evaluated, shown, assigned, and their types.
 */
import { hasShortName, shortName } from './print/standard/typeNames.js';
import { type BodyOptions, typeBody } from '../../dwarf/typeBodies.js';
import { LAYOUT_TITLE } from '../../dwarf/typeLayout.js';
import { strip, type Type } from '../../dwarf/types.js';
import { Evaluator } from './evaluator.js';
import { fail } from './expressionError.js';
import { ValueHistory } from './history.js';
import { NameLookup } from './nameLookup.js';
import { DEFAULT_SETTINGS, type PrintSettings } from './print/settings.js';
import { ValuePrinter } from './print/valuePrinter.js';
import type { Surroundings } from './surroundings.js';
import { parseExpression } from './syntax/parser.js';
import type { Value } from './value.js';
import { isWithoutDebugInfo, shownTypeName } from './variableValue.js';

/** Good until the program moves on or another frame is selected: make a new one then; the history stays. */
export class Expressions {
  readonly names: NameLookup;

  constructor(
    readonly around: Surroundings,
    readonly history: ValueHistory = new ValueHistory(),
    readonly settings: PrintSettings = DEFAULT_SETTINGS,
  ) {
    this.names = new NameLookup(around);
  }

  /** Throws an ExpressionError if it cannot be. `warnings` gets what gdb would say before the result. */
  evaluate(text: string, warnings: string[] = []): Value {
    const evaluator = new Evaluator(this.names, this.history);
    const value = evaluator.evaluateText(text);
    if (isWithoutDebugInfo(value.type) && value.plain.kind !== 'function') fail(`'${text.trim()}' has unknown type; cast it to its declared type`);
    warnings.push(...evaluator.warnings);
    return value;
  }

  /** What `print` shows after `$1 = `. */
  text(value: Value, settings: Partial<PrintSettings> = {}): string {
    return this.printer(settings).top(value);
  }

  printer(settings: Partial<PrintSettings> = {}): ValuePrinter {
    return new ValuePrinter(this.names, { ...this.settings, ...settings });
  }

  /** The type of an expression, or the type that a text names, found without evaluating more than needed. */
  typeOf(text: string): { readonly type: Type; readonly isTypeName: boolean } {
    const tree = parseExpression(text, this.names);
    return { type: new Evaluator(this.names, this.history, true).typeOf(tree), isTypeName: tree.kind === 'type' };
  }

  /** `whatis`: the type's name; of a typedef what it stands for, one level. */
  whatis(text: string, isRaw = false): string {
    const { type, isTypeName } = this.typeOf(text);
    return this.shownName(isTypeName && type.kind === 'typedef' ? type.of : type, isRaw);
  }

  /** `ptype`: `type = ` and the type written out. */
  ptype(text: string, options: BodyOptions = {}): string {
    const { type } = this.typeOf(text);
    const info = this.names.modules.find(({ info: own }) => own !== undefined && type.die?.unit.info === own)?.info ?? this.names.modules[0]?.info;
    const name = this.typeName(type.kind === 'typedef' ? strip(type) : type);
    const short = options.isRaw === true || this.settings.raw ? name : shortName(name);
    // Types of the standard library are known by their names.
    if (info === undefined || (short !== name && hasShortName(name))) return `type = ${short}`;
    const isTitled = options.layout !== undefined && strip(type).kind === 'struct';
    return `${isTitled ? LAYOUT_TITLE : ''}type = ${typeBody(type, info.types.of, options)}`;
  }

  private shownName(type: Type, isRaw: boolean): string {
    const name = this.typeName(type);
    return isRaw ? name : shortName(name);
  }

  typeName(type: Type): string {
    return shownTypeName(type, !this.names.isCPlusPlus);
  }
}
