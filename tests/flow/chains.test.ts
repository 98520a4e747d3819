/** Chains of programs whose source says what they must be. */
import { describe, expect, test } from 'vitest';
import { guestAddr } from '../../src/base/types.js';
import { memoryPlace, registerPlace } from '../../src/flow/copies/place.js';
import { joinChains, stepsOf, treeText } from '../../src/flow/join.js';
import { at } from '../../src/replay/log/position.js';
import { shownLinks, traced } from './traced.js';

/** The rest is looked at when there is time. */
const isLong = process.env['CULPRIT_LONG'] === '1';
const STATIC = ['-O0', '-static'];
const MADE_BY_MALLOC = ['element', 'array[2]', 'global', 'number', 'both.pointer', '*b', 'kept'];

describe('without optimisation', () => {
  test('through locals, calls, returns, a structure and a copy of it', async () => {
    const { at, flow } = await traced('locals.c', STATIC);
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
    expect(chain.links[1]?.value).toMatch(/"hello"$/);
    expect(chain.steps).toBe(11);
    expect(flow.cost.stepped / chain.links.flatMap(({ links }) => links).length).toBeLessThan(64);
  });

  test('through libc, which copies, makes and hands out', async () => {
    const { at } = await traced('library.c');
    expect(shownLinks(await at('end', 'letter'))).toEqual([
      "letter <- taken+2 by strchr | char *letter = strchr(taken, 'r');",
      'taken <- copies[1].name | char *taken = copies[1].name;',
      'copies[1].name <- table[1].name by memmove | memmove(copies, table, count * sizeof *copies);',
      'table[1].name <- table->name by qsort | qsort(table, 2, sizeof *table, byKey);',
      '() <- table->name by realloc | table = realloc(table, count * sizeof *table);',
      'table[0].name <- name | table[0].name = name;',
      'name <- name | fill(name);',
      'name <- library strdup | char *name = strdup("first");',
    ]);
    expect(shownLinks(await at('end', 'initial'))).toEqual([
      'initial <- buffer[0] | char initial = buffer[0];',
      'buffer[0] <- *taken by strcpy | strcpy(buffer, taken);',
      '() <- constant strdup | char *name = strdup("first");',
    ]);
    expect(shownLinks(await at('end', 'digit')).at(-1)).toBe('text[0] <- library snprintf | snprintf(text, sizeof text, "%d", argc + 41);');
    expect(shownLinks(await at('end', 'zero')).at(-1)).toBe('table[1].rest[2] <- library memset | memset(table, 0, count * sizeof *table);');
  });

  test('from system calls and from the beginning', async () => {
    const { at } = await traced('library.c');
    const got = await at('end', 'got');
    expect(shownLinks(got)).toEqual(['got <- input[3] | char got = input[3];', 'input[3] <- syscall | read(given, input, sizeof input);']);
    expect(got.links.at(-1)?.syscall).toBe(0);
    expect(shownLinks(await at('end', 'given'))).toEqual(['given <- fd | int given = fd;', 'fd <- syscall open | int fd = open("/dev/zero", O_RDONLY);']);
    expect(shownLinks(await at('end', 'program'))).toEqual(['program <- words[0] | char *program = words[0];', '() <- initial | ']);
  });

  test('through variable arguments, structures by value, floating point, conversions', async () => {
    const { at } = await traced('varargs.c', STATIC);
    expect(shownLinks(await at('end', 'inside')).map((line) => line.split(' | ')[0])).toEqual([
      'inside <- ()', '() <- given.inside', '() <- big.inside', 'target->inside <- local.inside', 'local.inside <- text', 'text <- left', 'left <- pair.left',
      'pair.left <- ()', '() <- made.left', 'made.left <- text', 'text <- eighth', 'eighth <- ()', '() <- found', 'found <- ()', '() <- b', 'b <- library malloc',
    ]);
    expect(shownLinks(await at('end', 'second')).map((line) => line.split(' | ')[0])).toEqual(['second <- ()', '() <- found', 'found <- ()', '() <- b', 'b <- library malloc']);
    expect(shownLinks(await at('end', 'result'))).toEqual([
      'result <- () | double result = half(number);', '() <- kept | return kept;', 'kept <- whole | double kept = whole;',
      'whole <- number | double result = half(number);', 'number <- constant | double number = 2.5;',
    ]);
    expect(shownLinks(await at('end', 'wider')).map((line) => line.split(' | ')[0])).toEqual(['wider <- wide', 'wide <- small', 'small <- constant']);
  });

  test('byte by byte, swapped, through unions and arrays; what is computed is new', async () => {
    const { at } = await traced('pieces.c', STATIC);
    const element = await at('end', 'element');
    expect(element.links.map(({ target }) => target)).toEqual([...MADE_BY_MALLOC, undefined, 'made']);
    expect(shownLinks(element).slice(-2)).toEqual([
      '() <- () | for (int i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];', 'made <- library malloc | char *made = malloc(8);',
    ]);
    expect(shownLinks(await at('end', 'total'))).toEqual(['total <- sum | unsigned long total = sum;', 'sum <- computed | unsigned long sum = count * 3 + 1;']);
    expect(shownLinks(await at('end', 'chosen')).at(-1)).toBe('other <- constant | char *other = 0;');
  });

  test('through objects', async () => {
    const { at } = await traced('objects.cc');
    const links = shownLinks(await at('end', 'last'));
    expect(links.slice(0, 2)).toEqual(['last <- other | int *last = other;', 'other <- element by std::swap<int*> | std::swap(element, other);']);
    expect(links.map((line) => line.split(' | ')[1])).toEqual([
      'int *last = other;', 'std::swap(element, other);', 'int *element = list[0];', 'list.push_back(nullptr);', 'list.push_back(nullptr);', 'list.push_back(target);',
      'target = source;', 'assign(target, got);', 'int *got = base.get();', 'int *get() const override { return data; }', 'struct Shape {',
      'explicit Shape(int *given) : data(given) {}', 'Square(int *given, int length) : Shape(given), side(length) {}', 'Square square(first, 2);', 'int *first = new int(4);',
    ]);
    expect(links.at(-1)).toBe('first <- library operator new | int *first = new int(4);');
  });
});

test('from thread to thread, through a signal handler, from a parent to its child', async () => {
  const { at } = await traced('tasks.c');
  const made = ['shared = made;', 'char *made = argument;', 'pthread_create(&thread, 0, produce, block);', 'char *block = malloc(8);'];
  const lines = async (mark: string, name: string): Promise<string[]> => shownLinks(await at(mark, name)).map((line) => line.split(' | ')[1] ?? '');
  expect(await lines('end', 'handled')).toEqual(['char *handled = inHandler;', 'inHandler = shared;', ...made]);
  if (!isLong) return;
  expect(await lines('child', 'own')).toEqual([
    'char *own = after;', 'char *after = interrupted(received);', 'return kept;', 'char *after = interrupted(received);', 'char *received = shared;', ...made,
  ]);
  expect(await lines('end', 'other')).toEqual(['read(pair[0], &other, sizeof other);']);
});

describe('the mechanisms of the bugs in the paper\'s Table 2: the line at fault is found, in as few steps', () => {
  test('a shallow copy that is freed twice: both pointers in one tree', async () => {
    const { at, atEnd, debug } = await traced('doubleFree.c', ['-O0', '-static']);
    const second = await at('again', 'block');
    // The first free of it: where the address was noted.
    await debug.goToEnd();
    const first = await atEnd('freed[1]');
    const tree = joinChains([second, first]);
    expect(tree.children.map(({ chains }) => chains)).toEqual([[0], [1]]);
    const lines = (links: readonly { readonly text: string | undefined }[]): string[] => links.map(({ text }) => (text ?? '').replace(/\s*\/\/.*$/, '').trim());
    expect(lines(tree.children[0]?.links ?? [])).toEqual(['memFree(attr->php);']);
    expect(lines(tree.children[1]?.links ?? [])).toEqual(['freed[freedCount++] = block;', 'memFree(attr->php);', '*newattrs = *attrs;']);
    expect(lines(tree.links)).toEqual(['av->php = parsePhp();', 'return php;', 'char *php = memAlloc(8);', 'return p;', 'void *p = malloc(size);']);
    expect(stepsOf(tree)).toBeLessThanOrEqual(16);
    const text = treeText(tree, ['the pointer now', 'the pointer then']);
    expect(text[0]).toBe('the pointer now:');
    expect(text).toContain('the pointer now and the pointer then, from here on the same:');
  });

  test('a null pointer from a directory that cannot be read', async () => {
    const { debug, atEnd } = await traced('noDirectory.c');
    await debug.goToEnd();
    const inLibc = await atEnd('$rdi');
    expect(inLibc.links.map(({ line, functionName }) => `${functionName}:${line}`)).toEqual(['getContents:18', 'getContents:18', 'getContents:15', 'saveDirectory:9']);
    expect(shownLinks(inLibc).at(-1)).toBe('() <- constant | return NULL;');
    expect(inLibc.steps).toBeLessThanOrEqual(4);
  });
});

test('a search can be watched, and given up', async () => {
  const { debug, flow } = await traced('locals.c', STATIC);
  await debug.goToEnd();
  const place = registerPlace('rax') ?? memoryPlace(guestAddr(0), 8);
  const thread = debug.thread?.id ?? 0;
  let asked = 0;
  const work = { progress: () => void asked++, isCancelled: () => asked > 0 };
  await expect(flow.origin(at(debug.position.time - 500), thread, place, { work })).rejects.toThrow('cancelled');
  expect((await flow.origin(at(debug.position.time - 500), thread, place, { limit: 1 })).links).toHaveLength(1);
});

describe('optimised', () => {
  test('what stays in a register for millions of instructions is not stepped through', async () => {
    const { at, flow } = await traced('loops.c', ['-O2', '-static']);
    expect(shownLinks(await at('use', 'early')).map((line) => line.split(' | ')[1])).toEqual(['int used = use(early, 2000);', 'int *made = malloc(sizeof *made);']);
    expect(flow.cost.stepped).toBeLessThan(20_000);
    expect(flow.cost.searches).toBeLessThan(50);
  });

  test.runIf(isLong)('in registers across calls during which others ran, and a signal came', async () => {
    const { at } = await traced('tasks.c', ['-O2']);
    expect(shownLinks(await at('end', 'mine')).map((line) => line.split(' | ')[1])).toEqual([
      'char *after = interrupted(received);', 'return kept;', 'char *joined = result;', 'while (shared == 0) pthread_cond_wait(&ready, &lock);',
      'shared = made;', 'pthread_create(&thread, 0, produce, block);', 'char *block = malloc(8);',
    ]);
  });

  test.runIf(isLong)('through inlined functions', async () => {
    const { at } = await traced('varargs.c', ['-O2']);
    expect(shownLinks(await at('end', 'inside')).map((line) => line.split(' | ')[1])).toEqual([
      'for (int i = 0; i <= which; i++) found = va_arg(list, char *);', 'char *eighth = pick(7, 0, 0, 0, 0, 0, 0, 0, b);', 'char *a = malloc(1), *b = malloc(2);',
    ]);
  });
});
