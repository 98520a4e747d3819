/**
 * Rules that look on together. Each can be switched on and off at any time; the code that runs the program asks what
 * has to be tracked and checked for those that are on, and again after each switch. Rules of one point are evaluated in
 * the order of their files.
 */
import { UserError } from '../../base/errors.js';
import type { Check } from '../analysis/precondition.js';
import { joinTrackers, type Tracker } from '../analysis/trackers.js';
import { nearest } from '../language/problems.js';
import { matches, type CompiledPoint, type CompiledRule, type Firing } from './compileRule.js';
import type { AbstractMachine, Occurrence } from './machine.js';

/** When rules must be asked at one kind of occurrence. */
interface Need {
  /** At each of them, whatever the checks say. */
  readonly always: boolean;
  /** Where one of these fails. */
  readonly checks: ReadonlySet<Check>;
}

export class RuleSet {
  private readonly on: Set<CompiledRule>;

  /** Those that are on by default are on. */
  constructor(readonly rules: readonly CompiledRule[]) {
    this.on = new Set(rules.filter(({ rule }) => rule.enabled));
  }

  isOn(name: string): boolean {
    return this.enabled().some(({ rule }) => rule.name === name);
  }

  enabled(): readonly CompiledRule[] {
    return this.rules.filter((rule) => this.on.has(rule));
  }

  /**
   * What users write: `all,-leak*` or `double.free,libc.*`, from left to right. A list that begins with a name to
   * switch on begins with nothing; one that begins with a minus begins with what is on.
   */
  select(selection: string): void {
    const words = selection.split(',').map((word) => word.trim()).filter((word) => word !== '');
    if (words.length > 0 && !/^[-+]/.test(words[0]!)) this.on.clear();
    for (const word of words) this.switch(word.replace(/^[-+]/, ''), !word.startsWith('-'));
  }

  /** By name or pattern (`libc.*`), `all` and `none`. */
  switch(pattern: string, on: boolean): void {
    if (pattern === 'none') return;
    const named = pattern === 'all' ? this.rules : this.rules.filter(({ rule }) => fitsPattern(rule.name, pattern));
    if (named.length === 0) {
      const meant = nearest(pattern, this.rules.map(({ rule }) => rule.name));
      throw new UserError(`there is no rule ${pattern}${meant === undefined ? '' : `; did you mean ${meant}?`}`);
    }
    for (const rule of named) {
      if (on) this.on.add(rule);
      else this.on.delete(rule);
    }
  }

  trackers(): readonly Tracker[] {
    return joinTrackers(this.enabled().map(({ trackers }) => trackers));
  }

  needs(kind: Occurrence['kind']): Need {
    const points = this.enabled().flatMap((rule) => rule.points.filter(({ point }) => concerns(point.kind, kind)));
    const checks = points.flatMap(({ precondition }) => (precondition.kind === 'checks' ? precondition.checks : []));
    return { always: points.some(({ precondition }) => precondition.kind === 'always'), checks: new Set(checks) };
  }

  /** `failed`: the checks that failed here. Rules that are about others are not asked. */
  fire(machine: AbstractMachine, occurrence: Occurrence, failed: ReadonlySet<Check>): Firing[] {
    const asked = this.enabled().filter(({ points }) => points.some((point) => matches(point.point, occurrence) && isDue(point, failed)));
    return asked.flatMap((rule) => rule.evaluate(machine, occurrence) ?? []);
  }

  /** All solutions of all rules, for points that list things: leaks at the end. */
  fireAll(machine: AbstractMachine, occurrence: Occurrence): Firing[] {
    return this.enabled().flatMap((rule) => rule.evaluateAll(machine, occurrence));
  }
}

function isDue({ precondition }: CompiledPoint, failed: ReadonlySet<Check>): boolean {
  return precondition.kind === 'always' || precondition.checks.some((check) => failed.has(check));
}

function concerns(point: string, occurrence: Occurrence['kind']): boolean {
  if (occurrence === 'read') return point === 'deref' || point === 'deref_r';
  return occurrence === 'write' ? point === 'deref' || point === 'deref_w' : point === occurrence;
}

function fitsPattern(name: string, pattern: string): boolean {
  const expression = pattern.split('*').map((part) => part.replaceAll(/[^\w-]/g, '\\$&')).join('.*');
  return new RegExp(`^${expression}$`).test(name);
}
