import { describe, expect, it } from 'vitest';
import { typeBody } from '../../src/dwarf/typeBodies.js';
import { typeName } from '../../src/dwarf/typeNames.js';
import type { Type } from '../../src/dwarf/types.js';
import { Variable } from '../../src/dwarf/variable.js';
import { CASES, askGdb, compile, type Compiled } from './compiled.js';

/** Things whose types to compare: variables, functions and types. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'shapes.c': [
    'numbers', 'names', 'ticking', 'mask', 'hidden', 'list', 'some_bits', 'deep', 'open_ended', 'table', 'tight', 'vector', 'wide', 'complex_one', 'huge',
    'per_thread', 'counted', 'add', 'sum', 'restrict_user', 'variable_length', 'mixed', 'unprototyped', 'make_point', 'main', 'struct node',
    'struct callbacks', 'enum color', 'word', 'binary', 'point_t', 'struct nested', 'struct packed', 'struct flexible',
  ],
  'inlined.c': ['square', 'consume', 'average', 'work', 'main', 'complain'],
  'firstHalf.c': ['struct shared', 'struct hidden', 'secret', 'local_value', 'same_name', 'other_half'],
  'classes.cc': [
    'outer::inner::Shape', 'outer::inner::Base', 'diamond', 'Diamond', 'Virtual1', 'Either', 'either', 'outer::Level', 'outer::Plain', 'level', 'plain',
    'method_pointer', 'member_pointer', 'takes', 'hidden', 'outer::inner::Shape::Inside', 'triple', 'texts', 'local', 'wide_char', 'truth',
    'outer::counter', 'outer::inner::counter', 'main', 'Method', 'std::vector<int, std::allocator<int> >', 'std::string',
  ],
};

function typeFor({ info }: Compiled, name: string): Type | undefined {
  const plain = name.replace(/^(struct|union|enum) /, '');
  const variable = info.byName.find(plain, 'variable')[0];
  if (variable !== undefined && plain === name) return info.types.of(new Variable(variable).type);
  const type = info.types.find(plain)[0];
  if (type !== undefined) return type;
  const functions = info.byName.find(plain, 'function');
  return functions.length === 0 ? undefined : info.types.of(functions[0]);
}

/** Those that differ in how types are written. */
const DIFFERENT = CASES.filter(([name]) => ['-O0', '-O0 DWARF 3', '-O1 DWARF 5, types apart, compressed', '-O2 compressed the old way, sections collected', '-O2 DWARF 4, types apart'].includes(name));

describe.each(DIFFERENT)('%s %s', (_, sources, flags) => {
  it('has types that are named, written and measured as gdb does', () => {
    const program = compile(sources, flags);
    const all = NAMES[sources[0] as string] ?? [];
    const told = askGdb(program.path, all.flatMap((name) => [`whatis ${name}`, `ptype /r ${name}`, `output sizeof (${name})`]));
    // The linker may have thrown a variable away; and of clones with fewer parameters gdb counts some twice.
    const names = all.filter((name, i) => !told[3 * i]?.startsWith('No symbol') && (name !== 'sum' || flags.includes('-O0')));
    const answers = told.filter((_answer, i) => names.includes(all[Math.floor(i / 3)] as string));
    expect(names.length).toBeGreaterThan(all.length * 0.7);
    const ours = names.flatMap((name) => {
      const type = typeFor(program, name);
      if (type === undefined) return [`no ${name}`, '', ''];
      // `whatis` of a type sees through one typedef.
      const isTypedef = type.kind === 'typedef' && program.info.types.find(name).length > 0;
      return [`type = ${typeName(isTypedef ? type.of : type)}`, `type = ${typeBody(type, program.info.types.of)}`, `${type.size}`];
    });
    expect(ours).toEqual(answers);
  });
});
