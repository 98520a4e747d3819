/* As in an HTML checker: elements are pushed as deep copies, but one field is copied shallowly, and both copies free it. */
#include <stdlib.h>
#include <string.h>

typedef struct attribute {
  struct attribute *next;
  char *name;
  char *php;
} attribute;

typedef struct node {
  attribute *attributes;
  char *element;
} node;

typedef struct inlineStack {
  struct inlineStack *next;
  attribute *attributes;
} inlineStack;

static inlineStack *stack;
/* What the check of the allocator has seen: frees of blocks that were free. */
static char *freed[16];
static int freedCount;

static void *memAlloc(size_t size) {
  void *p = malloc(size);
  return p;
}

static void memFree(void *block) {
  for (int i = 0; i < freedCount; i++)
    if (freed[i] == block) abort(); // MARK: again
  freed[freedCount++] = block; // MARK: free
}

static attribute *newAttribute(void) {
  attribute *attrs = memAlloc(sizeof *attrs);
  memset(attrs, 0, sizeof *attrs);
  return attrs;
}

static char *duplicate(const char *text) {
  char *copy = memAlloc(strlen(text) + 1);
  strcpy(copy, text);
  return copy;
}

static attribute *dupAttrs(attribute *attrs) {
  if (attrs == 0) return 0;
  attribute *newattrs = newAttribute();
  *newattrs = *attrs;
  newattrs->next = dupAttrs(attrs->next);
  newattrs->name = duplicate(attrs->name);
  return newattrs;
}

static void freeAttribute(attribute *attr) {
  memFree(attr->name);
  memFree(attr->php);
}

static void freeAttrs(attribute *list) {
  while (list != 0) {
    attribute *av = list;
    list = av->next;
    freeAttribute(av);
  }
}

static void pushInline(node *element) {
  inlineStack *istack = memAlloc(sizeof *istack);
  istack->attributes = dupAttrs(element->attributes);
  istack->next = stack;
  stack = istack;
}

static void popInline(void) {
  inlineStack *istack = stack;
  stack = istack->next;
  freeAttrs(istack->attributes);
}

static void discardElement(node *element) {
  freeAttrs(element->attributes);
}

static char *parsePhp(void) {
  char *php = memAlloc(8);
  strcpy(php, "<?font");
  return php;
}

static attribute *parseAttributes(void) {
  attribute *av = newAttribute();
  av->name = duplicate("color");
  av->php = parsePhp();
  return av;
}

int main(void) {
  node font;
  font.attributes = parseAttributes();
  pushInline(&font);
  popInline();
  discardElement(&font);
  return 0;
}
