/** The slice of a crash has what let control come to the instruction that could not be executed. */
import { expect, it } from 'vitest';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { Slices } from '../../src/slices/slices.js';
import { debug } from '../debugger/debugged.js';
import { compileText } from './compiled.js';

/** Lines with a mark are members; nothing that is written depends on the conditions. */
const CASES: readonly (readonly [name: string, body: string])[] = [
  ['right behind the branch', `
int main(void) {
    volatile int level = 3; //+
    volatile int other = 4;
    if (other > 5)
        other = 6;
    if (level > 2) //+
        *(volatile int *)8 = 1; //+
    return other;
}
`],
  ['after other statements', `
int main(void) {
    volatile int level = 3; //+
    volatile int other = 4;
    if (level > 2) { //+
        other = 5;
        other += 2;
        *(volatile int *)8 = 1; //+
    }
    return other;
}
`],
  ['where a function begins, and after one has returned', `
static volatile int level = 3;
static int helper(int n) {
    return n + 1;
}
static int fails(int *p) { //+
    helper(3);
    return *p; //+
}
int main(void) {
    int *p = 0; //+
    if (level > 2) //+
        return fails(p); //+
    return 0;
}
`],
];

it.each(CASES)('%s', async (name, body) => {
  const source = body.trimStart();
  const program = compileText(`crash-${name.replace(/\W+/g, '-')}.c`, source, ['-O0']);
  const slices = new Slices(await debug(program, { evaluator: new ValueEvaluator() }));
  const { members } = await slices.backward(undefined, []);
  const wanted = source.split('\n').flatMap((line, i) => (line.endsWith('//+') ? [i + 1] : []));
  expect(members.filter(({ path }) => path === `${program}.c`).map(({ line }) => line)).toEqual(wanted);
});
