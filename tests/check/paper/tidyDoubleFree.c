/*
 * A checker of markup, after Tidy-34132. Inline elements that are open are kept on a stack as deep copies of their
 * nodes, so that they can be opened again in the next block. Attributes may carry a node of a server-side script.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct _Node Node;

typedef struct _AttVal {
  struct _AttVal *next;
  char *attribute;
  char *value;
  Node *php;
} AttVal;

struct _Node {
  Node *parent, *prev, *next, *content, *last;
  char *element;
  AttVal *attributes;
  int closed;
};

typedef struct _IStack {
  char *element;
  AttVal *attributes;
} IStack;

typedef struct _Lexer {
  const char *input;
  IStack *istack;
  int istacksize, istacklength;
  int warnings;
} Lexer;

static void *MemAlloc(unsigned size) {
  void *p;
  p = malloc(size); /* ALLOC */
  if (p == NULL) {
    fputs("Out of memory!\n", stderr);
    exit(2);
  }
  return p;
}

static void MemFree(void *mem) {
  if (mem != NULL) free(mem); /* BUG */
}

static char *wstrdup(const char *str) {
  char *s = MemAlloc(strlen(str) + 1);
  strcpy(s, str);
  return s;
}

static Node *NewNode(const char *element) {
  Node *node = MemAlloc(sizeof(Node));
  memset(node, 0, sizeof(Node));
  if (element != NULL) node->element = wstrdup(element);
  return node;
}

static void FreeAttrs(Node *node);

static void FreeNode(Node *node) {
  while (node != NULL) {
    Node *next = node->next;
    if (node->content != NULL) FreeNode(node->content);
    FreeAttrs(node);
    MemFree(node->element);
    MemFree(node);
    node = next;
  }
}

static void FreeAttrs(Node *node) {
  AttVal *av;
  while (node->attributes != NULL) {
    av = node->attributes;
    node->attributes = av->next;
    MemFree(av->attribute);
    MemFree(av->value);
    if (av->php != NULL) MemFree(av->php);
    MemFree(av);
  }
}

static AttVal *DupAttrs(AttVal *attrs) {
  AttVal *newattrs;
  if (attrs == NULL) return attrs;
  newattrs = MemAlloc(sizeof(AttVal));
  *newattrs = *attrs; /* ROOT */
  newattrs->next = DupAttrs(attrs->next);
  newattrs->attribute = wstrdup(attrs->attribute);
  newattrs->value = wstrdup(attrs->value);
#ifdef FIXED
  newattrs->php = attrs->php != NULL ? NewNode(NULL) : NULL;
#endif
  return newattrs;
}

static void PushInline(Lexer *lexer, Node *node) {
  IStack *istack;
  if (lexer->istacksize + 1 > lexer->istacklength) {
    lexer->istacklength = lexer->istacklength * 2 + 6;
    lexer->istack = realloc(lexer->istack, sizeof(IStack) * lexer->istacklength);
  }
  istack = &lexer->istack[lexer->istacksize];
  istack->element = wstrdup(node->element);
  istack->attributes = DupAttrs(node->attributes);
  lexer->istacksize++;
}

static void PopInline(Lexer *lexer) {
  AttVal *av;
  IStack *istack;
  if (lexer->istacksize == 0) return;
  lexer->istacksize--;
  istack = &lexer->istack[lexer->istacksize];
  while (istack->attributes != NULL) {
    av = istack->attributes;
    istack->attributes = av->next;
    MemFree(av->attribute);
    MemFree(av->value);
    if (av->php != NULL) MemFree(av->php);
    MemFree(av);
  }
  MemFree(istack->element);
}

static char *ParseWord(Lexer *lexer) {
  char word[64];
  unsigned length = 0;
  while (isalnum((unsigned char)*lexer->input) && length < sizeof word - 1) word[length++] = *lexer->input++;
  word[length] = 0;
  return wstrdup(word);
}

static Node *ParsePhp(Lexer *lexer) {
  Node *node = NewNode(NULL);
  lexer->warnings++;
  lexer->input += 2;
  while (isalnum((unsigned char)*lexer->input)) lexer->input++;
  return node;
}

static AttVal *ParseAttrs(Lexer *lexer) {
  AttVal *av;
  while (*lexer->input == ' ') lexer->input++;
  if (!isalpha((unsigned char)*lexer->input)) return NULL;
  av = MemAlloc(sizeof(AttVal));
  av->attribute = ParseWord(lexer);
  av->php = NULL;
  lexer->input += strspn(lexer->input, "=\"");
  av->value = ParseWord(lexer);
  if (*lexer->input == '"') lexer->input++;
  if (strncmp(lexer->input, "<?", 2) == 0) av->php = ParsePhp(lexer);
  av->next = ParseAttrs(lexer);
  return av;
}

static Node *ParseElement(Lexer *lexer) {
  Node *node;
  char *name;
  lexer->input++;
  name = ParseWord(lexer);
  node = NewNode(name);
  MemFree(name);
  node->attributes = ParseAttrs(lexer);
  if (*lexer->input == '>') lexer->input++;
  return node;
}

static void InsertNodeAtEnd(Node *element, Node *node) {
  node->parent = element;
  node->prev = element->last;
  if (element->last != NULL) element->last->next = node;
  else element->content = node;
  element->last = node;
}

static void RemoveNode(Node *node) {
  if (node->prev != NULL) node->prev->next = node->next;
  else node->parent->content = node->next;
  if (node->next != NULL) node->next->prev = node->prev;
  else node->parent->last = node->prev;
  node->parent = node->next = node->prev = NULL;
}

static void DiscardElement(Node *element) {
  RemoveNode(element);
  FreeNode(element);
}

static void TrimEmptyElement(Node *element) {
  if (element->content == NULL) DiscardElement(element);
}

static void ParseInline(Lexer *lexer, Node *element) {
  PushInline(lexer, element);
  if (strncmp(lexer->input, "</", 2) == 0) {
    PopInline(lexer);
    lexer->input += strcspn(lexer->input, ">") + 1;
    element->closed = 1;
  }
  TrimEmptyElement(element);
}

int main(void) {
  Lexer lexer = { "<font color=\"green\"<?font></font>", NULL, 0, 0, 0 };
  Node *body = NewNode("body");
  Node *node = ParseElement(&lexer);
  InsertNodeAtEnd(body, node);
  ParseInline(&lexer, node);
  FreeNode(body);
  free(lexer.istack);
  printf("%d warnings\n", lexer.warnings);
  return 0;
}
