/** Scripts and tools of the distribution that run other programs, against their native runs. */
import { readFileSync } from 'node:fs';
import { row } from '../table/invocation.js';
import { testTable } from '../table/testTable.js';

function script(name: string): Record<string, string> {
  return { [name]: readFileSync(new URL(`scripts/${name}`, import.meta.url), 'utf8') };
}

/** A small C project, built by four at a time. */
const MAKEFILE = `OBJECTS = main.o one.o two.o three.o
prog: $(OBJECTS)
	gcc -o $@ $(OBJECTS)
%.o: %.c common.h
	gcc -O1 -c -o $@ $<
check: prog
	./prog > result && cat result
.PHONY: check
`;
const C_FILE = (name: string): string => `#include "common.h"\nint ${name}(int x) { return x * sizeof "${name}"; }\n`;
const PROJECT = {
  Makefile: MAKEFILE,
  'common.h': '#include <stdio.h>\nint one(int), two(int), three(int);\n',
  'main.c': '#include "common.h"\nint main(void) { printf("%d\\n", one(1) + two(10) + three(100)); return 0; }\n',
  'one.c': C_FILE('one'), 'two.c': C_FILE('two'), 'three.c': C_FILE('three'),
};

/** Shells name themselves and a line in messages; which process number it was is not the same. */
const withoutNumbers = (text: string): string => text.replace(/ *\b\d{4,}\b/g, ' N');

testTable('scripts with processes', [
  row('dash', ['dash', 'pipelines.sh'], { files: script('pipelines.sh'), normalise: withoutNumbers }),
  row('bash as sh', ['bash', '--posix', 'pipelines.sh'], { files: script('pipelines.sh'), normalise: withoutNumbers, long: true }),
  row('bash', ['bash', 'bash.sh'], { files: script('bash.sh'), normalise: withoutNumbers }),
  row('python3 subprocess', ['/usr/bin/python3', '-S', '-B', 'subprocesses.py'], { files: script('subprocesses.py') }),
  row('python3 multiprocessing', ['/usr/bin/python3', '-S', '-B', 'multiprocesses.py'], { files: script('multiprocesses.py') }),
  row('tools that run tools', ['sh', 'tools.sh'], { files: script('tools.sh'), long: true }),
  row('perl', ['perl', 'forks.pl'], { files: script('forks.pl') }),
  row('make -j4', ['make', '-s', '-j4', 'check'], { files: PROJECT }),
  row('make of one that fails', ['make', '-k', 'a', 'b'], { files: { Makefile: 'a:\n\tfalse\nb:\n\techo b; exit 3\n' } }),
]);
