/** Where source files are now, if not where the compiler had them: recordings come from other machines. */
import { UserError } from '../../base/errors.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';

export function showDirectories(session: Session): void {
  session.say(`Source directories searched: ${session.sources.directories.join(':')}`);
}

const DIRECTORY: Command = {
  name: 'directory', aliases: ['dir'], group: 'files', usage: 'directory [DIRECTORY…]', repeat: 'never', completes: 'file',
  summary: 'Look for source files in other directories, too; without argument, no longer.',
  examples: [['directory /home/me/app', 'by the end of their paths, or by their names alone']],
  async run(args, session) {
    const list = args.split(/[\s:]+/).filter((word) => word !== '');
    if (list.length === 0 && !(await session.surface.confirm('Reinitialize source path to $cdir:$cwd? (y or n) '))) return;
    session.sources.addDirectories(list);
    showDirectories(session);
  },
};

/** `set substitute-path FROM TO`. */
export function substitutePath(args: string, session: Session): void {
  const [from, to, ...more] = args.split(/\s+/).filter((word) => word !== '');
  if (from === undefined || to === undefined || more.length > 0) throw new UserError('Incorrect usage, exactly two arguments are required.');
  session.sources.substitute(withoutSlash(from), withoutSlash(to));
}

export function showSubstitutions(session: Session): void {
  session.say('List of all source path substitution rules:');
  for (const { from, to } of session.sources.substitutions) session.say(`  \`${from}' -> \`${to}'.`);
}

const UNSET: Command = {
  name: 'unset', group: 'files', usage: 'unset substitute-path [FROM]', repeat: 'never', completes: 'nothing', summary: 'Withdraw what "set substitute-path" said of a directory, or of all.',
  async run(args, session) {
    const [name = '', from, ...more] = args.split(/\s+/);
    if (!name.startsWith('sub') || !'substitute-path'.startsWith(name)) throw new UserError(`Undefined unset command: "${args}".  Try "help unset".`);
    if (more.length > 0) throw new UserError('Incorrect usage, too many arguments in command');
    const { sources } = session;
    if (from !== undefined && !sources.withdraw(withoutSlash(from))) throw new UserError(`No substitution rule defined for \`${from}'`);
    if (from !== undefined || !(await session.surface.confirm('Delete all source path substitution rules? (y or n) '))) return;
    for (const rule of sources.substitutions) sources.withdraw(rule.from);
  },
};

function withoutSlash(path: string): string {
  return path.replace(/(.)\/+$/, '$1');
}

export const SOURCE_PLACES: readonly Command[] = [DIRECTORY, UNSET];
