/*
 * How an interpreter imports modules, after Cpython-2.6.8. If a folder has the name of the module, opening it for
 * reading succeeds. Whoever loads a package closes the file; so does the one who opened it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum filetype { SEARCH_ERROR, PY_SOURCE, PKG_DIRECTORY, C_BUILTIN };

struct filedescr { const char *suffix; const char *mode; enum filetype type; };

struct module { struct module *next; char *name; char *text; enum filetype type; };

static const struct filedescr filetab[] = { { "", "r", PKG_DIRECTORY }, { ".py", "r", PY_SOURCE }, { NULL, NULL, SEARCH_ERROR } };
static const char *const builtins[] = { "sys", "marshal", NULL };
static struct module *modules;

static struct module *add_module(const char *name, enum filetype type) {
  struct module *module = malloc(sizeof *module);
  module->name = strdup(name);
  module->text = NULL;
  module->type = type;
  module->next = modules;
  modules = module;
  return module;
}

static struct module *loaded_module(const char *name) {
  struct module *module = modules;
  while (module != NULL && strcmp(module->name, name) != 0) module = module->next;
  return module;
}

static int is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int is_builtin(const char *name) {
  for (int i = 0; builtins[i] != NULL; i++) {
    if (strcmp(builtins[i], name) == 0) return 1;
  }
  return 0;
}

static const struct filedescr *find_module(const char *name, char *buf, size_t buflen, FILE **p_fp) {
  static const struct filedescr builtin = { "", "", C_BUILTIN };
  const struct filedescr *fdp;
  FILE *fp;
  *p_fp = NULL;
  if (is_builtin(name)) return &builtin;
  for (fdp = filetab; fdp->suffix != NULL; fdp++) {
    snprintf(buf, buflen, "%s%s", name, fdp->suffix);
    fp = fopen(buf, fdp->mode); /* ALLOC */
    if (fp == NULL) continue;
    *p_fp = fp;
    return fdp;
  }
  return NULL;
}

static char *read_source(FILE *fp) {
  size_t used = 0, size = 64, got;
  char *text = malloc(size);
  while ((got = fread(text + used, 1, size - used - 1, fp)) > 0) {
    used += got;
    if (used + 1 == size) text = realloc(text, size *= 2);
  }
  text[used] = 0;
  return text;
}

static struct module *load_source_module(const char *name, FILE *fp) {
  struct module *module = add_module(name, PY_SOURCE);
  module->text = read_source(fp);
  return module;
}

static struct module *load_package(const char *name, const char *path, FILE *fp) {
  struct module *module;
  char init[128];
  FILE *source;
  if (!is_directory(path)) return NULL;
#ifndef FIXED
  fclose(fp); /* ROOT */
#endif
  module = add_module(name, PKG_DIRECTORY);
  snprintf(init, sizeof init, "%s/__init__.py", path);
  source = fopen(init, "r");
  if (source == NULL) return module;
  module->text = read_source(source);
  fclose(source);
  return module;
}

static struct module *load_module(const char *name, FILE *fp, const char *path, enum filetype type) {
  switch (type) {
    case PY_SOURCE: return load_source_module(name, fp);
    case PKG_DIRECTORY: return load_package(name, path, fp);
    case C_BUILTIN: return add_module(name, C_BUILTIN);
    default: return NULL;
  }
}

static struct module *import_submodule(const char *name) {
  char path[128];
  FILE *fp;
  const struct filedescr *fdp;
  struct module *module = loaded_module(name);
  if (module != NULL) return module;
  fdp = find_module(name, path, sizeof path, &fp);
  if (fdp == NULL) {
    printf("ImportError: No module named %s\n", name);
    return NULL;
  }
  module = load_module(name, fp, path, fdp->type);
  if (fp != NULL)
    fclose(fp); /* BUG */
  return module;
}

static void make_files(void) {
  FILE *file = fopen("plain.py", "w");
  fputs("print('plain')\n", file);
  fclose(file);
  mkdir("folder", 0755);
  file = fopen("folder/__init__.py", "w");
  fputs("print('folder')\n", file);
  fclose(file);
}

static void clear_modules(void) {
  while (modules != NULL) {
    struct module *next = modules->next;
    free(modules->name);
    free(modules->text);
    free(modules);
    modules = next;
  }
}

int main(void) {
  static const char *const names[] = { "sys", "plain", "nowhere", "folder", "plain" };
  make_files();
  for (int i = 0; i < 5; i++) {
    struct module *module = import_submodule(names[i]);
    if (module != NULL) printf("%s: %s", module->name, module->text == NULL ? "built in\n" : module->text);
  }
  clear_modules();
  return 0;
}
