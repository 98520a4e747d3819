/** What `set` and `show` know: names as gdb has them, values as they are typed, words for `show`. */
import { UserError } from '../base/errors.js';

type SettingKind = 'boolean' | 'count' | 'text' | readonly string[];

interface Setting {
  readonly name: string;
  readonly kind: SettingKind;
  readonly initial: string;
  /** What `show` says; `%` is the value. */
  readonly words: string;
}

const ON = 'on';
const OFF = 'off';

const SETTINGS: readonly Setting[] = [
  { name: 'listsize', kind: 'count', initial: '10', words: 'Number of source lines gdb will list by default is %.' },
  { name: 'confirm', kind: 'boolean', initial: ON, words: 'Whether to confirm potentially dangerous operations is %.' },
  { name: 'pagination', kind: 'boolean', initial: ON, words: 'State of pagination is %.' },
  { name: 'width', kind: 'count', initial: 'unlimited', words: 'Number of characters gdb thinks are in a line is %.' },
  { name: 'height', kind: 'count', initial: 'unlimited', words: 'Number of lines gdb thinks are in a page is %.' },
  { name: 'disassembly-flavor', kind: ['att', 'intel'], initial: 'att', words: 'The disassembly flavor is "%".' },
  { name: 'context', kind: 'count', initial: '2', words: 'Lines of source around a stop that are shown on a terminal: %.' },
  { name: 'verbose', kind: 'boolean', initial: OFF, words: 'Verbosity is %.' },
  { name: 'breakpoint pending', kind: ['on', 'off', 'auto'], initial: 'auto', words: "Debugger's behavior regarding pending breakpoints is %." },
  { name: 'style enabled', kind: 'boolean', initial: ON, words: 'CLI output styling is %.' },
  { name: 'history size', kind: 'count', initial: '1000', words: 'The size of the command history is %.' },
  { name: 'debuginfod enabled', kind: ['on', 'off', 'ask'], initial: OFF, words: 'Debuginfod functionality is currently set to "%".' },
  { name: 'startup-with-shell', kind: 'boolean', initial: ON, words: 'Use of shell to start subprocesses is %.' },
  { name: 'disable-randomization', kind: 'boolean', initial: ON, words: "Disabling randomization of debuggee's virtual address space is %." },
  { name: 'exec-direction', kind: ['forward', 'reverse'], initial: 'forward', words: 'Commands that go on go %.' },
  { name: 'step-mode', kind: 'boolean', initial: OFF, words: 'Mode of the step operation is %.' },
  { name: 'scheduler-locking', kind: ['off', 'on', 'step', 'replay'], initial: 'replay', words: 'Mode for locking scheduler during execution is "%".' },
  { name: 'can-use-hw-watchpoints', kind: 'count', initial: '1', words: "Debugger's willingness to use watchpoint hardware is %." },
  { name: 'language', kind: 'text', initial: 'auto', words: 'The current source language is "%".' },
  { name: 'prompt', kind: 'text', initial: '(culprit) ', words: "Gdb's prompt is \"%\"." },
  { name: 'filename-display', kind: ['basename', 'relative', 'absolute'], initial: 'relative', words: 'Filenames are displayed as "%".' },
  { name: 'backtrace past-main', kind: 'boolean', initial: OFF, words: 'Whether backtraces should continue past "main" is %.' },
  { name: 'backtrace limit', kind: 'count', initial: 'unlimited', words: 'An upper bound on the number of stack frames in a backtrace is %.' },
];

export class Settings {
  private readonly values = new Map<string, string>(SETTINGS.map(({ name, initial }) => [name, initial]));

  get(name: string): string {
    const value = this.values.get(name);
    if (value === undefined) throw new UserError(`no setting named ${name}`);
    return value;
  }

  isOn(name: string): boolean {
    return this.get(name) === ON;
  }

  /** `unlimited` and 0 are Infinity. */
  count(name: string): number {
    const value = this.get(name);
    return value === 'unlimited' || value === '0' ? Infinity : Number(value);
  }

  /** By a name that may be shortened in each of its words. Undefined if there is none, or several. */
  find(written: string): { readonly setting: Setting; readonly rest: string } | undefined {
    const words = written.trim().split(/\s+/);
    for (const length of [2, 1]) {
      const found = SETTINGS.filter(({ name }) => matches(name.split(' '), words.slice(0, length)));
      const exact = found.find(({ name }) => name === words.slice(0, length).join(' '));
      const setting = exact ?? (found.length === 1 ? found[0] : undefined);
      if (setting !== undefined) return { setting, rest: words.slice(length).join(' ') };
    }
    return undefined;
  }

  set(setting: Setting, written: string): void {
    this.values.set(setting.name, checked(setting, written));
  }

  show({ name, words }: Setting): string {
    return words.replace('%', () => this.get(name));
  }

  get names(): string[] {
    return SETTINGS.map(({ name }) => name);
  }

  get all(): readonly Setting[] {
    return SETTINGS;
  }
}

function matches(name: readonly string[], words: readonly string[]): boolean {
  return name.length === words.length && name.every((part, i) => words[i] !== '' && part.startsWith(words[i] as string));
}

function checked({ kind }: Setting, written: string): string {
  if (kind === 'text') return written;
  if (kind === 'boolean') return checkedBoolean(written);
  if (kind === 'count') {
    if (/^(unlimited|-1|u)$/.test(written)) return 'unlimited';
    if (!/^\d+$/.test(written)) throw new UserError(written === '' ? 'Argument required (integer to set it to, or "unlimited".).' : `No symbol "${written}" in current context.`);
    return written;
  }
  const found = kind.filter((word) => word.startsWith(written));
  if (written === '') throw new UserError(`Requires an argument. Valid arguments are ${kind.join(', ')}.`);
  const exact = found.find((word) => word === written) ?? (found.length === 1 ? found[0] : undefined);
  if (exact === undefined) throw new UserError(found.length === 0 ? `Undefined item: "${written}".` : `Ambiguous item "${written}".`);
  return exact;
}

export function checkedBoolean(written: string): string {
  if (/^(|on|1|y|ye|yes|e|en|ena|enab|enabl|enable)$/.test(written)) return ON;
  if (/^(of|off|0|n|no|d|di|dis|disa|disab|disabl|disable)$/.test(written)) return OFF;
  throw new UserError(`"on" or "off" expected.`);
}
