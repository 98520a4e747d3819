/**
 * A program with the structure of tcas, which BLAST's example in the thesis is about (section 2.2.3): a command line of
 * twelve numbers, then a decision of nested functions. And a counterexample in it, as a model checker prints one.
 */
const INPUTS = ['separation', 'confidence', 'other_valid', 'own_altitude', 'own_rate', 'other_altitude', 'layer', 'up', 'down', 'other_rac', 'other_capability', 'climb_inhibit'];

export const TCAS = [
  '#include <stdio.h>',
  '#include <stdlib.h>',
  '',
  ...INPUTS.map((name) => `static int ${name};`),
  'static int thresholds[4];',
  '',
  'static void initialize(void)',
  '{',
  ...[400, 500, 640, 740].map((value, i) => `  thresholds[${i}] = ${value};`),
  '}',
  '',
  'static int limit(void)',
  '{',
  '  return thresholds[layer];',
  '}',
  '',
  'static int inhibit_biased_climb(void)',
  '{',
  '  return climb_inhibit ? up + 100 : up;',
  '}',
  '',
  'static int own_above_threat(void)',
  '{',
  '  return other_altitude < own_altitude;',
  '}',
  '',
  'static int non_crossing_biased_climb(void)',
  '{',
  '  int upward_preferred = inhibit_biased_climb() > down;',
  '  int result;',
  '  if (upward_preferred) {',
  '    result = !own_above_threat() || !(down >= limit());',
  '  } else {',
  '    result = own_above_threat() && separation >= limit() && up >= limit();',
  '  }',
  '  return result;',
  '}',
  '',
  'static int alt_sep_test(void)',
  '{',
  '  int enabled, equipped, intent_not_known;',
  '  int need_upward = 0;',
  '  enabled = confidence && own_rate <= 600 && separation > 300;',
  '  equipped = other_capability == 1;',
  '  intent_not_known = other_valid && other_rac == 0;',
  '  if (enabled && ((equipped && intent_not_known) || !equipped)) {',
  '    need_upward = non_crossing_biased_climb() && own_above_threat();',
  '    if (need_upward)',
  '      return 1;',
  '    else',
  '      return 2;',
  '  }',
  '  return 0;',
  '}',
  '',
  'int main(int argc, char *argv[])',
  '{',
  '  if (argc < 13) {',
  '    fprintf(stdout, "Error: Command line arguments are\\n");',
  '    exit(1);',
  '  }',
  '  initialize();',
  ...INPUTS.map((name, i) => `  ${name} = atoi(argv[${i + 1}]);`),
  '  fprintf(stdout, "input is read\\n");',
  '  printf("%d\\n", alt_sep_test());',
  '  return 0;',
  '}',
  '',
].join('\n');

const LINES = TCAS.split('\n');

function lineOf(text: string, from = 1): number {
  return LINES.findIndex((line, i) => i + 1 >= from && line.includes(text)) + 1;
}

interface Block {
  readonly name: string;
  readonly items: readonly (string | { readonly at: string; readonly call: Block })[];
}

const call = (at: string, name: string, ...items: Block['items']): { at: string; call: Block } => ({ at, call: { name, items } });
const threshold = (at: string): Block['items'][number] => call(at, 'limit', 'return thresholds[layer]');
const above = (at: string): Block['items'][number] => call(at, 'own_above_threat', 'return other_altitude');

/** Model checkers print a line twice or more: the block, and what is assumed in it. */
const MAIN: Block = {
  name: 'main',
  items: [
    'if (argc < 13) {', 'if (argc < 13) {',
    call('initialize();', 'initialize', ...[0, 1, 2, 3].flatMap((i) => [`thresholds[${i}] =`, `thresholds[${i}] =`])),
    ...INPUTS.flatMap((name) => [`  ${name} = atoi(`, `  ${name} = atoi(`]),
    'input is read',
    call('alt_sep_test());', 'alt_sep_test',
      'int need_upward = 0', 'enabled = confidence', 'enabled = confidence', 'enabled = confidence', 'equipped = other', 'equipped = other', 'intent_not_known = ', 'intent_not_known = ', 'if (enabled &&', 'if (enabled &&', 'if (enabled &&',
      call('need_upward = non_crossing', 'non_crossing_biased_climb',
        call('int upward_preferred = inhibit', 'inhibit_biased_climb', 'return climb_inhibit', 'return climb_inhibit', 'return climb_inhibit'),
        'int upward_preferred = inhibit', 'if (upward_preferred)', 'if (upward_preferred)',
        above('result = own_above_threat'), threshold('result = own_above_threat'), threshold('result = own_above_threat'),
        'result = own_above_threat', 'result = own_above_threat', 'return result;'),
      above('need_upward = non_crossing'),
      'need_upward = non_crossing', 'if (need_upward)', 'if (need_upward)', 'return 1;'),
  ],
};

/** The counterexample as pathreport XML of 102 steps. */
export function tcasTrace(): string {
  const written: string[] = [];
  const steps = { count: 0 };
  write(MAIN, 1, 'role="counterexample" file="tcas.c"', written, steps);
  return `Error found! The system is unsafe.\n${written.join('\n')}\n`;
}

const WANTED = 102;

function write({ name, items }: Block, depth: number, about: string, written: string[], steps: { count: number }): void {
  const from = lineOf(` ${name}(`);
  const indent = '  '.repeat(depth);
  written.push(`${indent}<path name="${name}" ${about}>${name}() {`);
  for (const item of items) {
    steps.count++;
    if (typeof item === 'string') written.push(`${indent}  <marker line="${lineOf(item, from)}">Block(${item.replaceAll('&', '&amp;').replaceAll('<', '&lt;')})</marker>`);
    else {
      written.push(`${indent}  <detour line="${lineOf(item.at, from)}">FunctionCall(`);
      write(item.call, depth + 2, '', written, steps);
      written.push(`${indent}  )</detour>`);
    }
  }
  // The end of the trace is the assertion that fails, as often as it takes.
  if (depth === 1) for (; steps.count < WANTED; steps.count++) written.push(`${indent}  <marker line="${lineOf('return 0;', from)}">Pred(assertion)</marker>`);
  written.push(`${indent}}</path>`);
}
