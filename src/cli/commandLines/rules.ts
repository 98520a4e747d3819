/** The command line of `culprit rules`. */
import type { Command } from 'commander';
import { UserError } from '../../base/errors.js';
import { speakOurWay } from './commandLine.js';
import { EXIT_USAGE } from '../output/report.js';
import type { RulesOptions } from '../commands/rules.js';

const RULES_HELP = `
Rules say what culprit check looks for. docs/rules.md teaches how to write one.

Examples:
  $ culprit rules list                        all that are shipped
  $ culprit rules show double.free            how one is written
  $ culprit rules compile mine.bug            are there mistakes in it?
  $ culprit rules compile --emit mine.bug     what is made of it, and how much of it there is
  $ culprit check --rules mine.bug ./a.out

Exit status: 0; 2: no such rule, or mistakes in a file, which are shown with line and column.
`;

export function addRules(program: Command, finish: (status: number) => void): void {
  const rules = program
    .command('rules')
    .summary('list, show and compile the rules of culprit check')
    .description('Lists, shows and compiles the rules that culprit check goes by.')
    .usage('list | show NAME | compile FILE...')
    .helpOption('-h, --help', 'show help and exit')
    .helpCommand(false)
    .addHelpText('after', RULES_HELP)
    .allowExcessArguments()
    .action(() => {
      const [name] = rules.args;
      throw new UserError(name === undefined ? 'rules: list, show or compile? See culprit rules --help' : `unknown command 'rules ${name}'; see culprit rules --help`, EXIT_USAGE);
    });
  withFiles(rules.command('list'))
    .summary('all rules: name, whether it is on, severity, message')
    .description('Lists all shipped rules: name, whether it is on by default, severity, and what it says.')
    .option('--json', 'as JSON')
    .action(async (options: RulesOptions) => finish((await import('../commands/rules.js')).listRulesCommand(options)));
  withFiles(rules.command('show'))
    .summary('a rule as it is written')
    .description('Shows a rule as it is written.')
    .argument('<NAME>', 'its name; "libc.*" shows several')
    .action(async (name: string, options: RulesOptions) => finish((await import('../commands/rules.js')).showRuleCommand(name, options)));
  withFunctions(rules.command('compile'))
    .summary('check files of rules, and show what is made of them')
    .description('Looks for mistakes in files of rules; with --emit shows what is made of each rule.')
    .argument('<FILE...>', 'files of rules')
    .option('--emit', 'the detectors, what is tracked for them, and sizes')
    .action(async (files: string[], options: RulesOptions) => finish((await import('../commands/rules.js')).compileRulesCommand(files, options)));
  for (const command of rules.commands) speakOurWay(command);
}

function withFiles(command: Command): Command {
  return withFunctions(command).option('--rules <FILE>', 'rules of your own, too (may be repeated)', several);
}

function withFunctions(command: Command): Command {
  return command.option('--functions <NAME=F,...>', 'which functions a name in a rule stands for (may be repeated)', several).helpOption('-h, --help', 'show help and exit');
}

function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
