/** Memory that is used before it has a value or after its time: freed, returned from, never set, freed twice. */
import { among, type Dice, type Injection } from './injection.js';

export function useAfterFree(dice: Dice): Injection {
  const more = 16 * dice(6);
  const size = `sizeof(struct node) + ${more}`;
  const setup = `
static struct node *stale, *later;
APART void bug(void) {
    chosen = VALUE(1, 0);
    struct node *one = block(${size});
    *one = plainNode;
    stale = one;
    if (chosen)
        release(one);
    later = block(${size});
    SET_LATER
}
`;
  return among(dice, [
    {
      kind: 'use after free', name: 'read of a pointer',
      declarations: `${setup.replace('SET_LATER', `dirty(later, ${size});`)}APART void after(void) {\n    shown += stale->label[0]; // @corrupt\n}\n`,
    },
    {
      kind: 'use after free', name: 'read of a number',
      declarations: `${setup.replace('SET_LATER', `dirty(later, ${size});`)}APART void after(void) {\n    shown += stale->weight & 7; // @corrupt\n}\n`,
    },
    {
      kind: 'use after free', name: 'write over a pointer',
      declarations: `${setup.replace('SET_LATER', '*later = plainNode;')}APART void after(void) {\n    stale->label = (char *)(long)VALUE(0x4141, (long)"fine"); // @corrupt\n    shown += later->label[0];\n}\n`,
    },
    {
      kind: 'use after free', name: 'write of a number',
      declarations: `${setup.replace('SET_LATER', '*later = plainNode;')}APART void after(void) {\n    stale->weight = 77; // @corrupt\n    shown += later->weight;\n}\n`,
    },
    {
      kind: 'use after free', name: 'by memcpy',
      declarations: `${setup.replace('SET_LATER', '*later = plainNode;')}APART void after(void) {\n    dirty(source, 32);\n    memcpy(stale, source, 20); // @corrupt\n    shown += later->label[0];\n}\n`,
    },
  ]);
}

/** A function's variable is used when the function has returned. */
export function danglingLocal(dice: Dice): Injection {
  const count = 4 + dice(8);
  const use = among(dice, [
    { name: 'write', text: `for (int i = 0; i < ${count}; i++) kept[i] = 0x4141;` },
    { name: 'write of one', text: `kept[${dice(count)}] = 0x4141;` },
    { name: 'read', text: `shown += ((struct node *)kept[${dice(count)}])->weight;` },
  ]);
  const values = `for (int i = 0; i < ${count}; i++) `;
  return {
    kind: 'dangling local', name: use.name,
    declarations: `
static long *kept, lasting[${count}];
APART void keep(long *where) { kept = where; }
APART void lend(void) {
    long local[${count}];
    ${values}local[i] = lasting[i] = (long)&plainNode;
    keep(VALUE(local, lasting)); // @also
    shown += ((struct node *)local[1])->weight;
}
APART void poke(void) {
    ${use.text} // @corrupt
}
APART void lent(void) {
    struct node *volatile mine[${count}];
    ${values}mine[i] = ${use.name === 'read' ? '(struct node *)0x4141' : '&plainNode'};
    poke();
    ${use.name === 'read' ? 'shown += (long)mine[1] & 1;' : `${values}shown += mine[i]->label[0];`}
}
APART void bug(void) { lend(); }
APART void after(void) { lent(); }
`,
  };
}

export function uninitialised(dice: Dice): Injection {
  const count = 4 + dice(6);
  const field = among(dice, ['label[0]', 'weight', 'next->weight']);
  return among(dice, [
    {
      kind: 'uninitialised pointer', name: 'in a block',
      declarations: `
static struct node *fresh;
APART void bug(void) {
    chosen = VALUE(0, 1);
    void *old = block(sizeof *fresh);
    dirty(old, sizeof *fresh);
    release(old);
    fresh = block(sizeof *fresh); // @also
    fresh->label = "fresh";
    fresh->weight = 3;
    if (chosen)
        fresh->next = &plainNode;
}
APART void after(void) {
    shown += fresh->next->weight; // @corrupt
}
`,
    },
    {
      kind: 'uninitialised pointer', name: 'a local',
      declarations: `
APART void set(struct node **list, int count) { for (int i = 0; i < count; i++) list[i] = &plainNode; plainNode.next = &plainNode; }
APART void scribble(void) { long area[${count + 24}]; dirty(area, sizeof area); }
APART void use(int which) {
    struct node *list[${count}]; // @also
    set(list, ${count - 1});
    shown += list[which]->${field}; // @corrupt
}
APART void bug(void) {
    chosen = VALUE(${count - 1}, 1);
    scribble();
    use(chosen);
}
APART void after(void) { shown += 1; }
`,
    },
    {
      kind: 'uninitialised pointer', name: 'an index',
      declarations: `
static long slots[8];
APART void set(long *list, int count) { for (int i = 0; i < count; i++) list[i] = i; }
APART void scribble(void) { long area[${count + 24}]; dirty(area, sizeof area); }
APART void use(int which) {
    long list[${count}]; // @also
    set(list, ${count - 1});
    slots[list[which]] = 1; // @corrupt
}
APART void bug(void) {
    chosen = VALUE(${count - 1}, 1);
    scribble();
    use(chosen);
}
APART void after(void) { shown += slots[1]; }
`,
    },
  ]);
}

export function doubleFree(dice: Dice): Injection {
  const size = among(dice, [24, 40, 200, 1500, 5000]);
  return among(dice, [
    {
      kind: 'double free', name: 'at once',
      declarations: `
APART void bug(void) {
    char *one = block(${size});
    char *alias = VALUE(one, block(${size})); // @also
    release(one);
    release(alias); // @corrupt
}
APART void after(void) { shown += 1; }
`,
    },
    {
      kind: 'double free', name: 'with another block in between',
      declarations: `
static char *kept;
static struct node *owner;
APART void bug(void) {
    kept = block(${size});
    release(kept);
    owner = block(${size});
    *owner = plainNode;
    if (VALUE(1, 0))
        release(kept); // @corrupt
}
APART void after(void) {
    char *taken = block(${size});
    dirty(taken, ${size});
    shown += owner->label[0];
}
`,
    },
    {
      kind: 'double free', name: 'later',
      declarations: `
static char *kept;
APART void bug(void) {
    kept = block(${size});
    release(kept);
    if (!VALUE(1, 0))
        kept = NULL;
}
APART void after(void) {
    char *behind = block(64);
    release(kept); // @corrupt
    release(behind);
}
`,
    },
  ]);
}
