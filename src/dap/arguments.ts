/** The arguments of a request, which may be anything: each is asked for with the type that it has to have. */
import { UserError } from '../base/errors.js';

export class Arguments {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    values: unknown,
    /** For messages: whose they are. */
    private readonly owner: string,
  ) {
    this.values = isRecord(values) ? values : {};
  }

  has(name: string): boolean {
    return this.value(name) !== undefined && this.value(name) !== null;
  }

  value(name: string): unknown {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }

  string(name: string): string {
    return this.optionalString(name) ?? this.missing(name, 'a string');
  }

  optionalString(name: string): string | undefined {
    return this.typed(name, 'a string', (value): value is string => typeof value === 'string');
  }

  integer(name: string): number {
    return this.optionalInteger(name) ?? this.missing(name, 'a whole number');
  }

  optionalInteger(name: string): number | undefined {
    return this.typed(name, 'a whole number', (value): value is number => Number.isSafeInteger(value));
  }

  boolean(name: string, otherwise = false): boolean {
    return this.typed(name, 'true or false', (value): value is boolean => typeof value === 'boolean') ?? otherwise;
  }

  /** Empty if it is not there. */
  strings(name: string): string[] {
    return this.array(name).map((value) => (typeof value === 'string' ? value : this.missing(name, 'a list of strings')));
  }

  /** Objects of a list; empty if it is not there. */
  list(name: string): Arguments[] {
    return this.array(name).map((value, i) => new Arguments(value, `${this.owner}: ${name}[${i}]`));
  }

  /** An object; one without anything if it is not there. */
  object(name: string): Arguments {
    return new Arguments(this.typed(name, 'an object', isRecord), `${this.owner}: ${name}`);
  }

  /** Names with strings, as an environment has them; null takes a name away. */
  dictionary(name: string): Map<string, string | null> {
    const entries = Object.entries(this.typed(name, 'an object', isRecord) ?? {});
    return new Map(entries.map(([key, value]) => [key, value === null ? null : typeof value === 'object' ? this.missing(name, 'an object of strings') : String(value)]));
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.optionalString(name);
    if (text === undefined) return undefined;
    return choices.find((choice) => choice === text) ?? this.missing(name, choices.map((choice) => `"${choice}"`).join(' or '));
  }

  private array(name: string): readonly unknown[] {
    return this.typed(name, 'a list', (value): value is unknown[] => Array.isArray(value)) ?? [];
  }

  private typed<T>(name: string, wanted: string, check: (value: unknown) => value is T): T | undefined {
    const value = this.value(name);
    if (value === undefined || value === null) return undefined;
    return check(value) ? value : this.missing(name, wanted);
  }

  private missing(name: string, wanted: string): never {
    throw new UserError(`${this.owner}: "${name}" has to be ${wanted}`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
