/** Memory given back to another family of functions than it came from. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

function pair(name: string, source: string, wrong: string, right: string, prologue = ''): Scenario {
  return { name, type: 'int *', language: 'cc', prologue, source, sink: { buggy: `${wrong} /* BUG */`, clean: right } };
}

export const MISMATCHED: readonly Scenario[] = [
  pair('newFree', 'data = new int(3);', 'free(data);', 'delete data;'),
  pair('mallocDelete', 'data = (int *)malloc(40);', 'delete data;', 'free(data);'),
  pair('arrayDelete', 'data = new int[5];', 'delete data;', 'delete[] data;'),
  pair('deleteArray', 'data = new int(5);', 'delete[] data;', 'delete data;'),
  pair('callocDeleteArray', 'data = (int *)calloc(5, sizeof(int));', 'delete[] data;', 'free(data);'),
  pair('arrayFree', 'data = new int[7];', 'free(data);', 'delete[] data;'),
  pair('reallocOfNew', 'data = new int[4];', 'data = (int *)realloc(data, 64);', 'delete[] data;'),
  pair('withoutException', 'data = new (std::nothrow) int(4);', 'free(data);', 'delete data;', '#include <new>'),
  pair('aligned', 'data = (int *)aligned_alloc(64, 128);', 'delete data;', 'free(data);'),
  pair('placement', 'data = new (malloc(sizeof(int))) int(9);', 'delete data;', 'free(data);', '#include <new>'),
  pair('operatorNew', 'data = static_cast<int *>(::operator new(32));', 'free(data);', '::operator delete(data);'),
  {
    name: 'strdupDelete',
    type: 'char *',
    language: 'cc',
    source: 'data = strdup("text");',
    sink: { buggy: 'delete[] data; /* BUG */', clean: 'free(data);' },
  },
  {
    name: 'smartPointer',
    type: 'char *',
    language: 'cc',
    prologue: '#include <memory>',
    source: 'data = strdup("text");',
    sink: {
      buggy: c`
std::unique_ptr<char[]> owner(data);
puts(owner.get());
owner.reset(); /* BUG */`,
      clean: c`
std::unique_ptr<char, void (*)(void *)> owner(data, free);
puts(owner.get());`,
    },
  },
  {
    name: 'ownOperators',
    type: 'Pooled *',
    language: 'cc',
    prologue: c`
struct Pooled {
  static void *operator new(size_t size) { return malloc(size); }
  static void operator delete(void *memory) { free(memory); }
  int number = 7;
};`,
    source: 'data = new Pooled;',
    sink: { buggy: '::delete data; /* BUG */', clean: 'delete data;' },
  },
  {
    name: 'sharedPointer',
    type: 'int',
    language: 'cc',
    scalar: true,
    prologue: c`
#include <memory>
struct Wrong { void operator()(int *cells) const { delete cells; } }; /* BUG */
struct Right { void operator()(int *cells) const { delete[] cells; } };`,
    source: 'data = 6;',
    sink: { buggy: 'std::shared_ptr<int> row(new int[data], Wrong());', clean: 'std::shared_ptr<int> row(new int[data], Right());' },
  },
];
