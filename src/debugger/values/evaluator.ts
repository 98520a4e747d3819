/**
 * Evaluates expressions. With `isDry` nothing is read or written that is not needed to know the type: for `whatis` and
 * `sizeof`, values are zeros of the right type then, as in gdb.
 */
import { strip, type Type } from '../../dwarf/types.js';
import { Arithmetic, decayed } from './arithmetic.js';
import { assign } from './assignment.js';
import { callFunction } from './calls.js';
import { bestOf, type BoundCall, boundMethod, boundOperator } from './methodCalls.js';
import { addressValue, cast, methodPointer } from './casts.js';
import { entryValue } from './entryValues.js';
import { fail } from './expressionError.js';
import type { ValueHistory } from './history.js';
import { arrayOf, INT, LONG, pointerTo, UNSIGNED_LONG, VOID } from './madeTypes.js';
import { findMember } from './members.js';
import { structureOf, type FoundName, type NameLookup } from './nameLookup.js';
import { contentsOf, referred, valueAt } from './references.js';
import { standardMethod, standardOperator, standardTarget } from './standardMethods.js';
import { registerValue } from './registers.js';
import { floatValue, integerValue, isIntegral, isTrue, toInteger, voidValue } from './scalars.js';
import { SIGNAL_INFO } from './signalInfoType.js';
import { parseExpression } from './syntax/parser.js';
import type { BinaryOperator, Expression } from './syntax/tree.js';
import { typeAlignment } from './typeMeasures.js';
import { COMPUTED, LARGEST_VALUE, toBytes, Value } from './value.js';
import { foundValue, isWithoutDebugInfo } from './variableValue.js';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

export class Evaluator {
  /** What gdb would say before the result. */
  readonly warnings: string[] = [];
  private readonly arithmetic: Arithmetic;

  constructor(
    readonly names: NameLookup,
    private readonly history: ValueHistory,
    private readonly isDry = false,
  ) {
    this.arithmetic = new Arithmetic({ isCPlusPlus: names.isCPlusPlus, isDry, warn: (text) => void this.warnings.push(text) });
  }

  /** Throws an ExpressionError if it cannot be evaluated. */
  evaluateText(text: string): Value {
    if (text.trim() === '') return this.history.at(0, true, this.names.around);
    return this.evaluate(parseExpression(text, this.names));
  }

  evaluate(expression: Expression): Value {
    const { around } = this.names;
    switch (expression.kind) {
      case 'integer': return integerValue(around, expression.type, expression.value);
      case 'float': return floatValue(around, expression.type, expression.value);
      case 'string': return this.string(expression);
      case 'name': return this.named(expression.name);
      case 'scoped': return foundValue(around, this.names.findIn(expression.scope, expression.name));
      case 'array': return this.arrayOf(expression.elements);
      case 'dollar': return this.dollar(expression.name);
      case 'history': return this.history.at(expression.number, expression.isRelative, around);
      case 'entryValue': return entryValue(this.names, expression.name);
      case 'unary': return this.unary(expression);
      case 'postfix': return this.step(expression.operand, expression.operator, true);
      case 'binary': return this.binary(expression.operator, expression.left, expression.right);
      case 'assign': return this.assignment(expression);
      case 'conditional': return this.evaluate(isTrue(this.operand(expression.condition)) ? expression.yes : expression.no);
      case 'cast': return this.cast(expression);
      case 'at': return this.loaded(valueAt(integerValue(around, LONG, 0n), expression.type, toInteger(decayed(this.operand(expression.operand)))));
      case 'sizeof': return this.sizeof(expression);
      case 'alignof': return integerValue(around, UNSIGNED_LONG, BigInt(typeAlignment(expression.type)));
      case 'index': return this.index(expression);
      case 'member': return this.member(expression);
      case 'memberPointer': return this.memberPointer(expression);
      case 'call': return this.call(expression);
      case 'type': return fail('Attempt to use a type name as an expression');
    }
  }

  /** Of a type that stands for an expression, too. */
  typeOf(expression: Expression): Type {
    return expression.kind === 'type' ? expression.type : this.evaluate(expression).type;
  }

  /** A value for computing: references are what they refer to. */
  private operand(expression: Expression): Value {
    const value = referred(this.evaluate(expression));
    if (isWithoutDebugInfo(value.type) && value.plain.kind !== 'function') this.unknownType(expression);
    return value;
  }

  private unknownType(expression: Expression): never {
    return fail(`'${expression.kind === 'name' ? expression.name : 'symbol'}' has unknown type; cast it to its declared type`);
  }

  /** In dry runs a value that need not be read. */
  private loaded(value: Value): Value {
    if (!this.isDry || value.size > LARGEST_VALUE || value.plain.kind === 'function') return value;
    return new Value(value.around, value.type, value.place, { bytes: new Uint8Array(value.size) }, value.bits);
  }

  private string({ units, type }: Of<'string'>): Value {
    const { size } = strip(type);
    const bytes = new Uint8Array((units.length + 1) * size);
    units.forEach((unit, i) => bytes.set(toBytes(BigInt(unit), size), i * size));
    return new Value(this.names.around, arrayOf(type, units.length + 1), COMPUTED, { bytes });
  }

  private arrayOf(elements: readonly Expression[]): Value {
    const values = elements.map((element) => this.operand(element));
    const [first] = values;
    if (first === undefined || values.some((value) => value.size !== first.size)) return fail('array elements must all be the same size');
    const bytes = Uint8Array.from(values.flatMap((value) => [...value.bytes]));
    return new Value(first.around, arrayOf(first.type, values.length), COMPUTED, { bytes });
  }

  private named(name: string): Value {
    const local = this.names.findLocal(name);
    if (local !== undefined) return this.found(local);
    const member = name === 'this' ? undefined : this.implicitMember(name);
    if (member !== undefined) return this.loaded(member);
    const found = this.names.findGlobal(name) ?? this.staticMember(name) ?? this.names.findSymbol(name);
    if (found !== undefined) return found instanceof Value ? found : this.found(found);
    return this.names.unknown(name);
  }

  private found(found: FoundName): Value {
    return foundValue(this.names.around, found);
  }

  /** A member of `*this`. */
  private implicitMember(name: string): Value | undefined {
    if (!this.names.isCPlusPlus) return undefined;
    const self = this.names.findLocal('this');
    const type = self?.kind === 'variable' ? self.module.info?.types.of(self.variable.type) : undefined;
    if (self === undefined || type === undefined || structureOf(type) === undefined) return undefined;
    const object = this.isDry ? new Value(this.names.around, structureOf(type) as Type, { kind: 'memory', address: 0n }) : contentsOf(foundValue(this.names.around, self));
    return findMember(this.names, object, name);
  }

  /** `Class::member`: a static one, or one of `*this`. */
  private staticMember(name: string): Value | undefined {
    const split = name.lastIndexOf('::');
    const owner = split <= 0 ? undefined : this.names.typeNamed(name.slice(0, split));
    const type = owner === undefined ? undefined : strip(owner);
    if (type?.kind !== 'struct') return undefined;
    const member = name.slice(split + 2);
    const self = this.implicitMember(member);
    if (self !== undefined) return self;
    const method = this.names.method(type, member);
    const isVirtual = type.methods.some((one) => one.isVirtual && one.name === member);
    if (method !== undefined && isVirtual && !this.isDry) return fail(`Cannot reference virtual member function "${member}"`);
    if (method !== undefined) return foundValue(this.names.around, method);
    if (type.members.some((m) => m.name === member)) return findMember(this.names, new Value(this.names.around, type, { kind: 'memory', address: 0n }), member);
    return fail(`There is no field named ${member}`);
  }

  private dollar(name: string): Value {
    const { around } = this.names;
    const register = registerValue(around, name);
    if (register !== undefined) return register;
    const known = this.history.variable(name);
    if (known !== undefined) return known;
    const number = around.debuggerVariable(name);
    if (number !== undefined) return integerValue(around, INT, number);
    if (name === '_siginfo') return this.signalInfo();
    return new Value(around, VOID, { kind: 'convenience', name, offset: 0 }, { bytes: new Uint8Array(0) });
  }

  private signalInfo(): Value {
    const { around } = this.names;
    const bytes = around.signalInfo() ?? fail('Unable to read siginfo');
    return new Value(around, SIGNAL_INFO, COMPUTED, { bytes: bytes.slice(0, SIGNAL_INFO.size) });
  }

  private unary({ operator, operand }: Of<'unary'>): Value {
    if (operator === '&') return this.addressOf(operand);
    if (operator === '++' || operator === '--') return this.step(operand, operator, false);
    const value = this.operand(operand);
    if (value.plain.kind === 'struct') return this.operator(operator, [value]);
    switch (operator) {
      case '-': return this.arithmetic.negative(value);
      case '+': return this.arithmetic.positive(value);
      case '!': return this.arithmetic.not(value);
      case '~': return this.arithmetic.complement(value);
      case '*': return this.contents(value);
    }
  }

  private contents(pointer: Value): Value {
    if (this.isDry && pointer.plain.kind === 'function') fail('Attempt to take contents of a non-pointer value.');
    return this.loaded(this.pointedTo(pointer));
  }

  /** In dry runs a pointer need not be known. */
  private pointedTo(pointer: Value): Value {
    const { plain } = pointer;
    return this.isDry && plain.kind === 'pointer' && strip(plain.to).kind !== 'void' ? valueAt(pointer, plain.to, 0n) : contentsOf(pointer);
  }

  /** `&Class::member`: of no object, but of all. */
  private pointerToMember(name: string): Value | undefined {
    const split = name.lastIndexOf('::');
    const owner = split <= 0 || this.names.find(name) !== undefined ? undefined : this.names.typeNamed(name.slice(0, split));
    const container = owner === undefined ? undefined : strip(owner);
    const member = container?.kind === 'struct' ? container.members.find((one) => !one.isStatic && one.name === name.slice(split + 2)) : undefined;
    if (container === undefined || member === undefined) return undefined;
    const type: Type = { kind: 'memberPointer', die: undefined, name: undefined, qualifiedName: undefined, size: 8, to: member.type, container };
    return new Value(this.names.around, type, COMPUTED, { bytes: toBytes(BigInt(member.offset), 8) });
  }

  private addressOf(operand: Expression): Value {
    const member = operand.kind === 'name' && operand.name.includes('::') ? this.pointerToMember(operand.name) : undefined;
    if (member !== undefined) return member;
    const value = this.evaluate(operand);
    if (value.plain.kind === 'reference') return integerValue(value.around, pointerTo(value.plain.to), toInteger(value));
    const method = operand.kind === 'name' && operand.name.includes('::') ? methodPointer(value) : undefined;
    if (method !== undefined) return method;
    if (value.address === undefined && operand.kind === 'name') return fail(`Can't take address of "${operand.name}" which isn't an lvalue.`);
    if (value.address === undefined && operand.kind === 'dollar') return fail('Attempt to take address of value not located in memory.');
    return addressValue(value);
  }

  private step(operand: Expression, operator: '++' | '--', isPostfix: boolean): Value {
    const target = referred(this.evaluate(operand));
    const before = new Value(target.around, target.type, COMPUTED, target.contents, target.bits);
    const after = this.arithmetic.binary(operator === '++' ? '+' : '-', before, integerValue(target.around, INT, 1n));
    if (this.isDry) return before;
    const result = assign(target, after, this.history, (text) => void this.warnings.push(text));
    return isPostfix ? before : result;
  }

  private binary(operator: BinaryOperator, left: Expression, right: Expression): Value {
    switch (operator) {
      case ',':
        this.evaluate(left);
        return this.evaluate(right);
      case '&&': {
        const first = this.operand(left);
        const isKnown = !isTrue(decayed(first)) && !this.isDry;
        if (isKnown) this.checkTypes(right);
        return this.arithmetic.truth(first, isKnown ? false : isTrue(decayed(this.operand(right))) && isTrue(decayed(first)));
      }
      case '||': {
        const first = this.operand(left);
        const isKnown = isTrue(decayed(first)) && !this.isDry;
        if (isKnown) this.checkTypes(right);
        return this.arithmetic.truth(first, isKnown || isTrue(decayed(this.operand(right))));
      }
      case '@': return this.repeat(left, right);
      default: return this.computed(operator, this.operand(left), this.operand(right));
    }
  }

  private computed(operator: Exclude<BinaryOperator, ',' | '&&' | '||' | '@'>, left: Value, right: Value): Value {
    if (left.plain.kind === 'struct' || right.plain.kind === 'struct') return this.operator(operator, [left, right]);
    switch (operator) {
      case '==': case '!=': case '<': case '>': case '<=': case '>=': return this.arithmetic.compare(operator, left, right);
      default: return this.arithmetic.binary(operator, left, right);
    }
  }

  /** One that the program defines. */
  private operator(operator: string, values: readonly Value[]): Value {
    if (!this.names.isCPlusPlus) return fail(`Structure has no component named operator${operator}.`);
    const known = standardOperator(this.names, operator, values);
    if (known !== undefined) return this.loaded(known);
    const { callee, values: list } = boundOperator(this.names, operator, values);
    return referred(this.called(callee, list));
  }

  /** What is not evaluated must make sense all the same. */
  private checkTypes(expression: Expression): void {
    new Evaluator(this.names, this.history, true).evaluate(expression);
  }

  private repeat(left: Expression, right: Expression): Value {
    const first = this.evaluate(left);
    const count = toInteger(this.operand(right));
    if (first.address === undefined) return fail("Only values in memory can be extended with '@'.");
    if (count < 1n && !this.isDry) return fail(`Invalid number ${count} of repetitions.`);
    return this.loaded(new Value(first.around, arrayOf(first.type, Number(count)), first.place));
  }

  private assignment({ operator, left, right }: Of<'assign'>): Value {
    const target = this.evaluate(left);
    const place = target.place.kind === 'convenience' ? target : referred(target);
    const value = this.operand(right);
    const result = operator === undefined ? value : this.arithmetic.binary(operator, place, value);
    if (this.isDry) return place.place.kind === 'convenience' ? result : place;
    const isKept = place.place.kind === 'convenience' && result.address !== undefined;
    return assign(place, isKept ? decayed(result) : result, this.history, (text) => void this.warnings.push(text));
  }

  private cast({ type, operand, word }: Of<'cast'>): Value {
    const value = referred(this.evaluate(operand));
    if (isWithoutDebugInfo(value.type) && value.plain.kind !== 'function') return this.loaded(valueAt(value, type, value.address ?? 0n));
    if (word === 'reinterpret' && isIntegral(strip(type)) && strip(type).size < 8 && value.plain.kind === 'pointer') return fail('Invalid reinterpret_cast');
    return cast(type, value);
  }

  /** As gdb has it: an int, whatever the language says. */
  private sizeof({ operand }: Of<'sizeof'>): Value {
    const dry = new Evaluator(this.names, this.history, true);
    const type = dry.typeOf(operand);
    const plain = strip(type);
    if (isWithoutDebugInfo(type) && plain.kind !== 'function') this.unknownType(operand);
    const counted = plain.kind === 'reference' ? strip(plain.to) : plain;
    return integerValue(this.names.around, INT, BigInt(counted.size));
  }

  private index({ array, index }: Of<'index'>): Value {
    const whole = this.operand(array);
    const { plain } = whole;
    if (plain.kind === 'struct' && this.names.isCPlusPlus) return this.operator('[]', [whole, this.operand(index)]);
    const number = toInteger(this.operand(index));
    if (plain.kind === 'array') return this.loaded(elementOf(whole, plain.element, number));
    if (plain.kind === 'pointer') return this.loaded(contentsOf(this.arithmetic.binary('+', whole, integerValue(whole.around, LONG, number))));
    if (plain.kind === 'struct') return fail('Structure has no component named operator[].');
    return fail(plain.name === undefined ? 'cannot subscript requested type' : `cannot subscript something of type \`${plain.name}'`);
  }

  private member({ object, name, throughPointer }: Of<'member'>): Value {
    let value = this.operand(object);
    if (value.plain.kind === 'pointer' && structureOf(value.type) !== undefined) value = this.pointedTo(value);
    else if (throughPointer && value.plain.kind === 'struct') value = standardTarget(this.names, value) ?? value;
    const type = value.plain;
    if (type.kind !== 'struct') return fail(`Attempt to extract a component of a value that is not a structure${throughPointer ? ' pointer' : ''}.`);
    const plainName = name.includes('::') ? name.slice(name.lastIndexOf('::') + 2) : name;
    const found = findMember(this.names, value, plainName);
    if (found !== undefined) return this.loaded(found);
    const method = this.names.method(type, plainName);
    if (method !== undefined) return foundValue(this.names.around, method);
    return fail(`There is no member ${type.methods.length > 0 ? 'or method ' : ''}named ${name}.`);
  }

  private memberPointer({ object, member, throughPointer }: Of<'memberPointer'>): Value {
    const base = this.operand(object);
    const value = throughPointer || base.plain.kind === 'pointer' ? contentsOf(base) : base;
    const pointer = this.operand(member);
    if (pointer.plain.kind !== 'memberPointer') return fail('not implemented: pointer-to-method in pointer-to-member construct');
    const target = strip(pointer.plain.to);
    if (target.kind === 'function') return valueAt(value, pointer.plain.to, BigInt.asUintN(64, toInteger(pointer.component(LONG, 0))));
    return value.component(pointer.plain.to, Number(toInteger(pointer)));
  }

  private call({ callee, values }: Of<'call'>): Value {
    const list = values.map((value) => this.operand(value));
    const known = callee.kind === 'member' && this.names.isCPlusPlus ? standardMethod(this.names, this.objectOf(callee), callee.name, list) : undefined;
    if (known !== undefined) return this.loaded(known);
    const bound = this.names.isCPlusPlus ? this.boundCall(callee, list) : undefined;
    if (bound !== undefined) return this.called(bound.callee, bound.values);
    const target = this.operand(callee);
    if (isWithoutDebugInfo(target.type)) return fail(`'${callee.kind === 'name' ? callee.name : 'function'}' has unknown return type; cast the call to its declared return type`);
    return this.called(target, list);
  }

  /** Of `object.name` and `object->name`. */
  private objectOf({ object, throughPointer }: Of<'member'>): Value {
    const base = this.operand(object);
    if (base.plain.kind === 'pointer' && structureOf(base.type) !== undefined) return this.pointedTo(base);
    return (throughPointer && base.plain.kind === 'struct' ? standardTarget(this.names, base) : undefined) ?? base;
  }

  /** A call whose function depends on its arguments: of an object, of a name that several have, of an object itself. */
  private boundCall(callee: Expression, list: readonly Value[]): BoundCall | undefined {
    if (callee.kind === 'member') {
      const object = this.objectOf(callee);
      if (object.plain.kind !== 'struct' || findMember(this.names, object, callee.name) !== undefined) return undefined;
      return boundMethod(this.names, object, callee.name, list);
    }
    if (callee.kind === 'name') {
      const all = this.names.findLocal(callee.name) === undefined ? this.names.functions(callee.name) : [];
      const best = all.length > 1 ? bestOf(this.names, all, list, false) : undefined;
      if (best !== undefined) return { callee: best, values: list };
      if (all.length > 0) return undefined;
    }
    const target = this.operand(callee);
    return target.plain.kind === 'struct' ? boundOperator(this.names, '()', [target, ...list]) : undefined;
  }

  private called(target: Value, list: readonly Value[]): Value {
    if (this.isDry) {
      const type = target.plain.kind === 'pointer' ? strip(target.plain.to) : target.plain;
      return type.kind === 'function' ? this.loaded(new Value(target.around, type.result, COMPUTED, { bytes: new Uint8Array(strip(type.result).size) })) : voidValue(target.around, VOID);
    }
    return callFunction(target, list);
  }
}

/** Elements may be asked for beyond the end of what is in memory, as C does it. */
function elementOf(array: Value, element: Type, index: bigint): Value {
  const { size } = strip(element);
  const offset = Number(index) * size;
  if (array.address === undefined && (offset < 0 || offset + size > array.size)) return fail('no such vector element');
  return array.component(element, offset);
}
