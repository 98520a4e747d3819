/**
 * Rules that are switched on and off while the program runs: at a time, or whenever a function is called. What a rule
 * needs to know of the past is tracked from the beginning, so that one that is switched on late knows blocks that were
 * allocated before.
 */
import { UserError } from '../base/errors.js';
import { globMatcher } from './report/glob.js';

interface RuleSwitch {
  /** Instructions since the beginning, or the name of a function. */
  readonly when: number | string;
  /** In the order in which they are made. */
  readonly changes: readonly { readonly pattern: string; readonly on: boolean }[];
}

interface State {
  readonly since: number;
  readonly on: ReadonlySet<string>;
}

/** States that are remembered; of times before them the first is taken. */
const MOST_STATES = 100_000;
const FORM = "write 'TIME=+rule,-rule' or 'FUNCTION=+rule,-rule'";

/** `handle_request=+leak.*,-libc.*`. */
export function parseSwitch(text: string): RuleSwitch {
  const [, when = '', list = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const words = list.split(',').map((word) => word.trim());
  if (when === '' || !words.every((word) => /^[+-][\w.*-]+$/.test(word))) throw new UserError(`--switch ${text}: ${FORM}`);
  const changes = words.map((word) => ({ pattern: word.slice(1), on: word.startsWith('+') }));
  return { when: /^\d[\d,_]*$/.test(when) ? Number(when.replace(/[,_]/g, '')) : when, changes };
}

export class RuleSwitches {
  /** Names of functions whose calls switch something. */
  readonly functions: ReadonlySet<string>;
  private readonly states: State[];
  /** Those at times that have not come yet. */
  private readonly pending: RuleSwitch[];

  constructor(
    /** Those that may ever be on. */
    private readonly names: readonly string[],
    initially: ReadonlySet<string>,
    private readonly switches: readonly RuleSwitch[] = [],
  ) {
    this.states = [{ since: 0, on: initially }];
    this.functions = new Set(switches.flatMap(({ when }) => (typeof when === 'string' ? [when] : [])));
    this.pending = switches.filter(({ when }) => typeof when === 'number').toSorted((a, b) => Number(a.when) - Number(b.when));
  }

  isOn(rule: string, time: number): boolean {
    this.advance(time);
    const { states } = this;
    const last = states.at(-1) as State;
    const state = last.since <= time ? last : (states.findLast(({ since }) => since <= time) ?? (states[0] as State));
    return state.on.has(rule);
  }

  called(name: string, time: number): void {
    this.advance(time);
    for (const one of this.switches) if (one.when === name) this.apply(one, time);
  }

  private advance(time: number): void {
    for (let next = this.pending[0]; next !== undefined && Number(next.when) <= time; next = this.pending[0]) {
      this.apply(next, Number(next.when));
      this.pending.shift();
    }
  }

  private apply({ changes }: RuleSwitch, time: number): void {
    const { on: before } = this.states.at(-1) as State;
    const on = new Set(before);
    for (const change of changes) {
      const matches = globMatcher(change.pattern === 'all' ? '*' : change.pattern);
      for (const name of this.names) if (matches(name)) on[change.on ? 'add' : 'delete'](name);
    }
    if (on.size === before.size && [...on].every((name) => before.has(name))) return;
    if (this.states.push({ since: time, on }) > 2 * MOST_STATES) this.states.splice(0, MOST_STATES);
  }
}
