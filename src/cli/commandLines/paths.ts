/** The command line of `culprit paths`. */
import type { Command } from 'commander';
import type { PathsOptions } from '../commands/paths.js';

const PATHS_HELP = `
Reads what analysers and debuggers report, and shows each path through the program as one piece of code:
functions below the lines that call them, folded to what the path touches and the blocks around it. What a
file is, its beginning says: SARIF of any tool, GCC's JSON diagnostics, property lists of clang, XML and text
of cppcheck, Infer's report.json, pathreport XML, backtraces of gdb, sanitizers, valgrind, kernel oopses.

Text is for people and scripts: lines of code are NUMBER<tab>CODE below FILE:FUNCTION, in the order of the
path; lines that begin with # are about it. docs/paths.md has the rules.

Examples:
  $ culprit paths --text report.sarif
  $ gcc -fanalyzer -fdiagnostics-format=json -c a.c 2> a.json; culprit paths --text a.json
  $ culprit check --sarif found.sarif ./a.out; culprit paths --text found.sarif
  $ gdb -batch -ex run -ex bt ./a.out | culprit paths --text -
  $ culprit paths --text --why --source-root ~/src/project report.sarif
  $ culprit paths --sarif out.sarif clang.plist     what one tool wrote, as SARIF

Exit status: 0; 2: wrong use of culprit, or no report.
`;

export function addPaths(program: Command, finish: (status: number) => void): void {
  program
    .command('paths')
    .summary('show the paths of reports in the source: inlined, and folded')
    .description('Shows the paths of reports in the source, with calls inlined and all else folded.')
    .usage('[options] REPORT...')
    .argument('<REPORT...>', 'files with reports; - is standard input')
    .option('--text', 'print the paths, as text')
    .option('--why', 'with --text: also why each step is there, and the state')
    .option('--json', 'print them as JSON, which culprit paths reads, too')
    .option('--sarif <FILE>', 'write them there as SARIF 2.1.0')
    .option('--pathreport <FILE>', 'write them there as pathreport XML')
    .option('--source-root <DIR>', 'look for sources below DIR, too (may be repeated)', several)
    .option('--format <FORMAT>', 'what the reports are, if their beginning does not say it')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', PATHS_HELP)
    .action(async (reports: string[], options: PathsOptions) => finish(await (await import('../commands/paths.js')).pathsCommand(reports, options)));
}

function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
