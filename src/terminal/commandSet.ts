/**
 * Commands by their names, which may be shortened as long as they mean one; aliases mean theirs whatever else begins
 * like them.
 */
import { UserError } from '../base/errors.js';
import type { Command } from './command.js';

/** What a line says to do. */
interface Spoken {
  readonly command: Command;
  readonly args: string;
}

const NAME = /^[A-Za-z][\w.-]*/;

export class CommandSet {
  private readonly commands = new Map<string, Command>();
  private readonly aliases = new Map<string, Command>();

  /** `kind` is what error messages call them before the name: `info `. */
  constructor(
    commands: readonly Command[],
    private readonly kind = '',
  ) {
    for (const command of commands) this.add(command);
  }

  add(command: Command): void {
    this.commands.set(command.name, command);
    for (const alias of command.aliases ?? []) this.aliases.set(alias, command);
  }

  get all(): readonly Command[] {
    return [...this.commands.values()];
  }

  get names(): string[] {
    return [...this.commands.keys(), ...this.aliases.keys()].sort();
  }

  /** All that a beginning of a name may mean. */
  matching(beginning: string): Command[] {
    const exact = this.commands.get(beginning) ?? this.aliases.get(beginning);
    return exact === undefined ? this.all.filter(({ name }) => name.startsWith(beginning)) : [exact];
  }

  /** Undefined for an empty line and a comment. Throws a UserError for what is no command. */
  parse(line: string): Spoken | undefined {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return undefined;
    if (text.startsWith('!')) return { command: this.named('shell'), args: text.slice(1).trim() };
    const name = NAME.exec(text)?.[0];
    if (name === undefined) throw this.undefinedCommand(text.split(/\s/)[0] ?? text);
    return { command: this.named(name), args: text.slice(name.length).trim() };
  }

  named(name: string): Command {
    const found = this.matching(name);
    const [only] = found;
    if (only === undefined) throw this.undefinedCommand(name);
    if (found.length > 1) throw new UserError(`Ambiguous ${this.kind}command "${name}": ${found.map((command) => command.name).sort().join(', ')}.`);
    return only;
  }

  private undefinedCommand(name: string): UserError {
    return new UserError(`Undefined ${this.kind}command: "${name}".  Try "help${this.kind === '' ? '' : ` ${this.kind.trim()}`}".`);
  }
}
