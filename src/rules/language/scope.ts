/**
 * What names mean while a rule is checked. A variable is a slot of the rule; a definition's parameters stand for what
 * the caller wrote, which may be a variable that has no value yet (`r1` in `Freed(r, r1)`), and its other variables are
 * its own, new at each use.
 */
import type { Sort } from './builtins.js';
import type { Term } from './core.js';

export interface SlotInfo {
  readonly name: string;
  readonly visible: boolean;
  sort: Sort;
}

type Meaning =
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'term'; readonly term: Term }
  | { readonly kind: 'functions'; readonly names: readonly string[] }
  | { readonly kind: 'wildcard' };

/** One for the rule, and one for each use of a definition. */
export class Scope {
  private readonly meanings = new Map<string, Meaning>();

  constructor(
    private readonly slots: SlotInfo[],
    /** Of the definition whose body it is; none for the rule itself. */
    readonly definition?: string,
  ) {}

  get(name: string): Meaning | undefined {
    return this.meanings.get(name);
  }

  set(name: string, meaning: Meaning): void {
    this.meanings.set(name, meaning);
  }

  /** The slot of a variable, a new one if the name is new. */
  variable(name: string): Meaning {
    const known = this.meanings.get(name);
    if (known !== undefined) return known;
    const slot = this.slots.length;
    this.slots.push({ name, visible: this.definition === undefined, sort: 'any' });
    const meaning: Meaning = { kind: 'slot', slot };
    this.meanings.set(name, meaning);
    return meaning;
  }

  names(): IterableIterator<string> {
    return this.meanings.keys();
  }
}

/** Which slots have a value: on every way here, and on some. */
export interface Flow {
  readonly certain: ReadonlySet<number>;
  readonly possible: ReadonlySet<number>;
}

export function bind(flow: Flow, slots: Iterable<number>): Flow {
  const added = [...slots];
  if (added.length === 0) return flow;
  return { certain: new Set([...flow.certain, ...added]), possible: new Set([...flow.possible, ...added]) };
}

/** After an alternative: certain is what both sides give. */
export function join(a: Flow, b: Flow): Flow {
  return { certain: new Set([...a.certain].filter((slot) => b.certain.has(slot))), possible: new Set([...a.possible, ...b.possible]) };
}
