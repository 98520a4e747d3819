/*
 * A parser of framesets, after Tidy-34132. With a nested frameset the tag noframes turns up in the inner one, where
 * there is no body yet to be found, and nobody expects the finder to find nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct _Node {
  struct _Node *parent, *content, *last, *next;
  const char *element;
  int start, implicit;
} Node;

typedef struct _Lexer {
  const char *const *tokens;
  Node *root;
  int seenBody, warnings;
} Lexer;

static Node *NewNode(const char *element) {
  Node *node = calloc(1, sizeof(Node));
  node->element = element;
  node->start = 1;
  return node;
}

static void FreeNode(Node *node) {
  while (node != NULL) {
    Node *next = node->next;
    FreeNode(node->content);
    free(node);
    node = next;
  }
}

static void InsertNodeAtEnd(Node *element, Node *node) {
  node->parent = element;
  if (element->last != NULL) element->last->next = node;
  else element->content = node;
  element->last = node;
}

static int IsElement(Node *node, const char *name) {
  return strcmp(node->element, name) == 0;
}

static Node *FindHTML(Node *root) {
  Node *node = root->content;
  while (node != NULL && !IsElement(node, "html")) node = node->next;
  return node;
}

static Node *FindBody(Node *root) {
  Node *node = FindHTML(root);
  if (node == NULL) return NULL;
  node = node->content;
  while (node != NULL && !IsElement(node, "body")) {
    if (IsElement(node, "frameset")) {
      node = node->content;
      while (node != NULL && !IsElement(node, "noframes")) node = node->next;
      if (node == NULL) return NULL; /* ROOT */
      node = node->content;
      while (node != NULL && !IsElement(node, "body")) node = node->next;
      return node;
    }
    node = node->next;
  }
  return node;
}

static Node *GetToken(Lexer *lexer) {
  Node *node;
  const char *token = *lexer->tokens;
  if (token == NULL) return NULL;
  lexer->tokens++;
  node = NewNode(token[0] == '/' ? token + 1 : token);
  node->start = token[0] != '/';
  return node;
}

static void Warn(Lexer *lexer, const char *text, const char *element) {
  lexer->warnings++;
  printf("warning: %s <%s>\n", text, element);
}

static void MoveToBody(Lexer *lexer, Node *node) {
  Node *body = FindBody(lexer->root);
#ifdef FIXED
  if (body == NULL) {
    Warn(lexer, "no body for", node->element);
    FreeNode(node);
    return;
  }
#endif
  node->implicit = body->implicit; /* BUG */
  InsertNodeAtEnd(body, node);
}

static void ParseBody(Lexer *lexer, Node *body) {
  Node *node;
  lexer->seenBody = 1;
  while ((node = GetToken(lexer)) != NULL) {
    int end = !node->start && IsElement(node, "body");
    if (end || !node->start) {
      FreeNode(node);
      if (end) return;
      continue;
    }
    InsertNodeAtEnd(body, node);
  }
}

static void ParseNoFrames(Lexer *lexer, Node *noframes) {
  Node *node;
  while ((node = GetToken(lexer)) != NULL) {
    if (!node->start) {
      FreeNode(node);
      return;
    }
    if (IsElement(node, "body")) {
      InsertNodeAtEnd(noframes, node);
      ParseBody(lexer, node);
      continue;
    }
    Warn(lexer, "moved to the body:", node->element);
    MoveToBody(lexer, node);
  }
}

static void ParseFrameSet(Lexer *lexer, Node *frameset) {
  Node *node;
  while ((node = GetToken(lexer)) != NULL) {
    if (!node->start) {
      FreeNode(node);
      return;
    }
    InsertNodeAtEnd(frameset, node);
    if (IsElement(node, "frameset")) ParseFrameSet(lexer, node);
    else if (IsElement(node, "noframes")) ParseNoFrames(lexer, node);
  }
}

static void ParseHTML(Lexer *lexer, Node *html) {
  Node *node;
  while ((node = GetToken(lexer)) != NULL) {
    if (!node->start) {
      FreeNode(node);
      continue;
    }
    InsertNodeAtEnd(html, node);
    if (IsElement(node, "frameset")) ParseFrameSet(lexer, node);
    else if (IsElement(node, "body")) ParseBody(lexer, node);
  }
}

int main(void) {
  static const char *const tokens[] = {
    "head", "/head", "frameset", "frame", "frameset", "frame", "noframes", "p", "/noframes", "/frameset", "/frameset", NULL,
  };
  Lexer lexer = { tokens, NewNode("root"), 0, 0 };
  Node *html = NewNode("html");
  InsertNodeAtEnd(lexer.root, html);
  ParseHTML(&lexer, html);
  FreeNode(lexer.root);
  printf("%d warnings\n", lexer.warnings);
  return 0;
}
