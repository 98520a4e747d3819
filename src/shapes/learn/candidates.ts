/**
 * Constraints that a structure might have, from what its type is: pointers that lead back, trees, rings, orders along
 * pointers, balances, counts. Each is written in the language itself. `weight` says how much it tells if it holds: it
 * is larger for what seldom holds by chance. What a candidate implies need not be said beside it.
 */
import type { ShapeField, ShapeType } from '../model.js';

export interface Candidate {
  /** The statements, without a name. */
  readonly text: string;
  readonly weight: number;
  /** Texts of weaker ones. */
  readonly implies: readonly string[];
  /** Fewer tests than that say nothing. */
  readonly least: number;
}

/** Pointers that belong together: a field, or the elements of an array. */
interface Group {
  readonly names: readonly string[];
}

/** `values`: those that a field had, if they are few; by the field's number. */
export function candidatesFor(type: ShapeType, values: ReadonlyMap<number, readonly number[]>): Candidate[] {
  return new Maker(type, values).all();
}

class Maker {
  private readonly made: Candidate[] = [];
  private readonly groups: readonly Group[];
  private readonly data: readonly string[];
  private readonly pointers: readonly string[];

  /** Fields with two or three values, and those. */
  private readonly colours: readonly { field: string; values: readonly number[] }[];

  constructor(
    private readonly type: ShapeType,
    values: ReadonlyMap<number, readonly number[]>,
  ) {
    const fields = type.fields.filter(({ index }) => index <= 40);
    const pointers = fields.filter(({ kind, pointee }) => kind === 'pointer' && pointee === type.name);
    this.groups = grouped(pointers);
    this.pointers = pointers.map(nameOf);
    this.data = fields.filter(({ kind }) => kind !== 'pointer' && kind !== 'text').map(nameOf).slice(0, 8);
    this.colours = fields.flatMap((field) => {
      const few = values.get(field.index) ?? [];
      return this.data.includes(nameOf(field)) && few.length > 1 && few.length < 4 ? [{ field: nameOf(field), values: few }] : [];
    });
  }

  all(): Candidate[] {
    this.leadingBack();
    for (const names of this.subsets()) this.shape(names);
    for (const pointer of this.pointers) this.along(pointer);
    this.balances();
    this.counts();
    this.inside();
    this.arrays();
    return this.made;
  }

  private add(weight: number, rule: string, implies: readonly string[] = [], least = 3, variables = `${this.type.name} X; `, before = ''): string {
    const text = `${before}${variables}${rule};`;
    this.made.push({ text, weight, implies: implies.map((each) => `${each};`), least });
    return text;
  }

  /** All pointers, each group, each two of them. */
  private subsets(): string[][] {
    const pairs = this.groups.flatMap((a, i) => this.groups.slice(i + 1).map((b) => [...a.names, ...b.names]));
    const found = [...this.groups.map(({ names }) => [...names]), ...(this.groups.length > 2 ? pairs.slice(0, 12) : []), this.groups.flatMap(({ names }) => names)];
    return [...new Map(found.filter((names) => names.length > 0).map((names) => [names.join(), names])).values()];
  }

  private leadingBack(): void {
    for (const there of this.pointers) for (const back of this.pointers) this.add(95, `X.${there}->${back} == X`);
  }

  private shape(names: readonly string[]): void {
    const { name } = this.type;
    const isAll = names.length === this.pointers.length;
    const of = isAll ? '' : `(${names.map((field) => `${name}.${field}`).join(', ')})`;
    const through = isAll ? '' : `{${names.join(', ')}}`;
    const one = `${name} X; `;
    const two = `${name} X; ${name} Y; `;
    const atMostOne = `X.INDEGREE${of} <= 1`;
    const ofTree = `X.INDEGREE${of} != 0 => X.INDEGREE${of} == 1`;
    const extra = names.length > 1 ? 4 : 0;
    this.add(70 + extra, ofTree);
    this.add(66 + extra, atMostOne, [`${one}${ofTree}`]);
    this.add(90, `X.INDEGREE${of} == 1`, [`${one}${ofTree}`, `${one}${atMostOne}`]);
    this.add(60, `X.OUTDEGREE${of} == ${names.length}`);
    if (names.length > 1) this.add(84, `X ->${through} Y => X.OUTDEGREE${of} == ${names.length}`, [], 3, two);
    const single = names.length > 1 ? names.map((field) => `${two}X ->>{${field}} Y => Y /->>{${field}} X`) : [];
    this.add(75 + extra, `X ->>${through} Y => Y /->>${through} X`, single, 3, two);
    for (const field of this.data) {
      const edge = `X ->${through} Y`;
      for (const [weight, sign, weaker] of [[78, '<', '<='], [74, '<=', ''], [77, '>', '>='], [73, '>=', ''], [72, '!=', '']] as const) {
        if (names.length > 1) this.add(weight, `${edge} => X.${field} ${sign} Y.${field}`, weaker === '' ? [] : [`${two}${edge} => X.${field} ${weaker} Y.${field}`], 10, two);
      }
    }
  }

  /** Order along one pointer. */
  private along(pointer: string): void {
    const one = `${this.type.name} X; `;
    this.add(40, `X.${pointer} != NULL`, [], 10);
    this.add(58, `X.${pointer} != X`, [], 10);
    for (const field of this.data) {
      const rule = (sign: string) => `X.${pointer}->${field} ${sign} X.${field}`;
      this.add(82, rule('<'), [`${one}${rule('<=')}`, `${one}${rule('!=')}`], 10);
      this.add(82, rule('>'), [`${one}${rule('>=')}`, `${one}${rule('!=')}`], 10);
      this.add(80, rule('<='), [], 10);
      this.add(80, rule('>='), [], 10);
      this.add(62, rule('=='), [`${one}${rule('<=')}`, `${one}${rule('>=')}`], 10);
      this.add(59, rule('!='), [], 10);
      this.add(81, `X.${pointer} != X => ${rule('>')}`, [], 10);
    }
  }

  /** Heights and ranks of two pointers; numbers of nodes of a colour. */
  private balances(): void {
    const { name } = this.type;
    for (const left of this.pointers) {
      for (const right of this.pointers) {
        if (left === right) continue;
        const plain = `${left}_${right}`.replaceAll(/\W/g, '_');
        const rank = `RANK_${plain}`;
        this.add(68, `X.${left}.${rank} >= X.${right}.${rank}`, [], 10, `${name} X; `, `${name}.${rank}; ${name} X; X.${right} == NULL => X.${rank} = 1 || X.${rank} = X.${right}.${rank} + 1;\n`);
        if (left > right) continue;
        const height = `HEIGHT_${plain}`;
        this.add(88, `|X.${left}.${height} - X.${right}.${height}| <= 1`, [], 10, `${name} X; `, `${name}.${height} = 0; ${name} X; X.${height} = max(X.${left}.${height}, X.${right}.${height}) + 1;\n`);
        for (const { field, values } of this.colours) {
          values.forEach((colour, i) => {
            const others = `OTHERS_${plain}_${field.replaceAll(/\W/g, '_')}_${i}`;
            this.add(92, `X.${left}.${others} == X.${right}.${others}`, [], 20, `${name} X; `, `${name}.${others} = 0; ${name} X; X.${others} = X.${left}.${others} + (X.${field} == ${colour} ? 0 : 1);\n`);
          });
        }
      }
    }
    for (const { field, values } of this.colours) {
      for (const colour of values) this.add(76, `X -> Y and X.${field} == ${colour} => Y.${field} != ${colour}`, [], 10, `${name} X; ${name} Y; `);
    }
  }

  /** A number that counts edges. */
  private counts(): void {
    for (const field of this.data) {
      for (const [more, text] of [[0, ''], [1, ' + 1'], [-1, ' - 1']] as const) {
        this.add(more === 0 ? 86 : 85, `X.ISLEAF == false => X.OUTDEGREE == X.${field}${text}`, [], 5);
      }
    }
  }

  /** Values of one node. */
  private inside(): void {
    for (const { field, values } of this.colours) this.add(34, values.map((value) => `X.${field} == ${value}`).join(' or '), [`${this.type.name} X; X.${field} >= 0`], 20);
    for (const field of this.data) {
      this.add(30, `X.${field} >= 0`, [], 20);
      for (const other of this.data) {
        if (other === field) continue;
        this.add(44, `X.${field} <= X.${other}`, [], 20);
        this.add(46, `X.${field} < X.${other}`, [`${this.type.name} X; X.${field} <= X.${other}`], 20);
        this.add(50, `X.${field} + 1 == X.${other}`, [`${this.type.name} X; X.${field} < X.${other}`, `${this.type.name} X; X.${field} <= X.${other}`], 20);
      }
    }
  }

  private arrays(): void {
    const { element } = this.type;
    if (element === undefined) return;
    if (element.kind === 'pointer') this.add(60, 'for I in 1 to 1000000, X[I] != X', [], 10);
    else {
      this.add(80, 'for I in 1 to 1000000, X[I] <= X[I + 1]', [], 10);
      this.add(83, 'for I in 1 to 1000000, X[I] < X[I + 1]', [`${this.type.name} X; for I in 1 to 1000000, X[I] <= X[I + 1]`], 10);
      this.add(70, 'for I in 1 to 1000000, X[I] <= X[2 * I] and X[I] <= X[2 * I + 1]', [], 10);
    }
  }
}

/** Fields without names have only numbers. */
function nameOf({ name, index }: ShapeField): string {
  return name === '' ? String(index) : name;
}

function grouped(pointers: readonly ShapeField[]): Group[] {
  const groups = new Map<string, string[]>();
  for (const field of pointers) {
    const key = nameOf(field).replace(/\[\d+\]$/, '[]');
    groups.set(key, [...(groups.get(key) ?? []), nameOf(field)]);
  }
  return [...groups.values()].map((names) => ({ names }));
}
