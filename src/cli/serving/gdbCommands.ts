/**
 * Commands that gdb gets beside its own, in its own language. `stepi` is what makes gdb notice that the program is
 * elsewhere, or another one: what goes somewhere ends with it. If the server refuses, gdb does not come to that.
 */
import { SLICE_COMMANDS } from '../../slices/sliceCommands.js';
import { ALTERATION_COMMANDS } from '../../whatIf/alterationCommands.js';

const MOST_WORDS = 6;
/** Those that lead somewhere else, or into a branch. */
const MOVING: ReadonlySet<string> = new Set(['follow', 'sstep', 'rsstep', 'switch', 'suppress', 'alteration']);
/** gdb has a command of its own by that name. */
const TAKEN: ReadonlySet<string> = new Set(['record']);

const OWN = `
define when
  monitor when
end
document when
The time here: instructions of all threads since the start of the recording.
end
define goto
  if $argc != 1
    echo goto TIME, goto +N, goto -N or goto BOOKMARK\\n
  else
    monitor goto $arg0
    stepi
  end
end
document goto
Go to a time (see when), or so many instructions on (+N) or back (-N).
end
define last
  if $argc != 1
    echo last EXPRESSION (without spaces)\\n
  else
    eval "monitor last 0x%lx:%lu", (unsigned long) &($arg0), (unsigned long) sizeof($arg0)
    stepi
  end
end
document last
Go back to the last write to a variable: last EXPRESSION, without spaces.
end
`;

export const GDB_COMMANDS = OWN + Object.entries({ ...SLICE_COMMANDS, ...ALTERATION_COMMANDS }).filter(([name]) => !TAKEN.has(name)).map(([name, about]) => defined(name, about)).join('');

function defined(name: string, { usage, summary }: { readonly usage: string; readonly summary: string }): string {
  const byCount = Array.from({ length: MOST_WORDS + 1 }, (_, count) => {
    const words = Array.from({ length: count }, (_word, i) => ` $arg${i}`).join('');
    return `  if $argc == ${count}\n    monitor ${name}${words}\n  end\n`;
  }).join('');
  return `define ${name}\n${byCount}${MOVING.has(name) ? '  stepi\n' : ''}end\ndocument ${name}\n${summary}\n${usage}\nend\n`;
}
