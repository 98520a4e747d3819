/** Chains of programs whose source says what they must be. */
import { describe, expect, test } from 'vitest';
import { shownLinks, traced } from './traced.js';

describe('without optimisation', () => {
  test('through locals, calls, returns, a structure and a copy of it', async () => {
    const { at, flow } = await traced('locals.c');
    const chain = await at('end', 'end');
    expect(shownLinks(chain)).toEqual([
      'end <- copied.text+5 | char *end = copied.text + 5;',
      'copied.text <- node.text | memcpy(&copied, &node, sizeof copied);',
      'node->text <- text | node->text = text;',
      'text <- second | put(&node, second);',
      'second <- () | char *second = pass(first);',
      '() <- kept | return kept;',
      'kept <- given | char *kept = given;',
      'given <- first | char *second = pass(first);',
      'first <- () | char *first = make(16);',
      '() <- made | return made;',
      'made <- library malloc | char *made = malloc(size);',
    ]);
    expect(chain.links.map(({ value }) => value)[1]).toMatch(/"hello"$/);
    expect(chain.steps).toBe(11);
    expect(flow.cost.stepped / chain.links.flatMap(({ links }) => links).length).toBeLessThan(64);
  });
});
