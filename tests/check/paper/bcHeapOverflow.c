/*
 * The variables of a calculator, after Bc-1.06: tables of functions, variables and arrays grow when a name needs
 * more room. The function that makes room for arrays was copied from the one for variables, and one name in it was forgotten.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORE_INCR 32

typedef struct bc_var { long value; struct bc_var *next; } bc_var;
typedef struct bc_var_array { long *elements; int size; struct bc_var_array *next; } bc_var_array;

static int v_count, a_count;
static bc_var **variables;
static bc_var_array **arrays;
static char **v_names, **a_names;
static int next_var = 1, next_array = 1;

static void *bc_malloc(size_t size) {
  void *memory = malloc(size); /* ALLOC */
  if (memory == NULL) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static char *copy_of(const char *name) {
  char *copy = bc_malloc(strlen(name) + 1);
  return strcpy(copy, name);
}

static void more_variables(void) {
  int indx, old_count;
  bc_var **old_var;
  char **old_names;

  old_count = v_count;
  old_var = variables;
  old_names = v_names;

  v_count += STORE_INCR;
  variables = bc_malloc(v_count * sizeof(bc_var *));
  v_names = bc_malloc(v_count * sizeof(char *));

  for (indx = 0; indx < old_count; indx++) {
    variables[indx] = old_var[indx];
    v_names[indx] = old_names[indx];
  }
  for (; indx < v_count; indx++) variables[indx] = NULL;

  free(old_var);
  free(old_names);
}

static void more_arrays(void) {
  int indx, old_count;
  bc_var_array **old_ary;
  char **old_names;

  old_count = a_count;
  old_ary = arrays;
  old_names = a_names;

  a_count += STORE_INCR;
  arrays = bc_malloc(a_count * sizeof(bc_var_array *));
  a_names = bc_malloc(a_count * sizeof(char *));

  for (indx = 0; indx < old_count; indx++) {
    arrays[indx] = old_ary[indx];
    a_names[indx] = old_names[indx];
  }
#ifdef FIXED
  for (; indx < a_count; indx++) arrays[indx] = NULL;
#else
  for (; indx < v_count; indx++) arrays[indx] = NULL; /* BUG */ /* ROOT */
#endif

  free(old_ary);
  free(old_names);
}

static int lookup_var(const char *name) {
  for (int i = 1; i < next_var; i++) {
    if (strcmp(v_names[i], name) == 0) return i;
  }
  if (next_var >= v_count) more_variables();
  v_names[next_var] = copy_of(name);
  return next_var++;
}

static int lookup_array(const char *name) {
  for (int i = 1; i < next_array; i++) {
    if (strcmp(a_names[i], name) == 0) return i;
  }
  if (next_array >= a_count) more_arrays();
  a_names[next_array] = copy_of(name);
  return next_array++;
}

static bc_var *get_var(int index) {
  if (variables[index] == NULL) {
    variables[index] = bc_malloc(sizeof(bc_var));
    variables[index]->value = 0;
    variables[index]->next = NULL;
  }
  return variables[index];
}

static long *get_element(int index, int element) {
  bc_var_array *array = arrays[index];
  if (array == NULL) {
    array = arrays[index] = bc_malloc(sizeof(bc_var_array));
    array->size = 16;
    array->elements = calloc(array->size, sizeof(long));
    array->next = NULL;
  }
  return &array->elements[element % array->size];
}

/** `name=number` or `name[index]=number`, separated by semicolons. */
static void execute(char *program) {
  for (char *statement = strtok(program, ";"); statement != NULL; statement = strtok(NULL, ";")) {
    char name[16];
    int index;
    long value;
    if (sscanf(statement, "%15[a-z0-9][%d]=%ld", name, &index, &value) == 3) *get_element(lookup_array(name), index) = value;
    else if (sscanf(statement, "%15[a-z0-9]=%ld", name, &value) == 2) get_var(lookup_var(name))->value = value;
    else printf("parse error: %s\n", statement);
  }
}

static long sum_of_all(void) {
  long sum = 0;
  for (int i = 1; i < next_var; i++) sum += get_var(i)->value;
  for (int i = 1; i < next_array; i++) sum += *get_element(i, 0);
  return sum;
}

static void clean_up(void) {
  for (int i = 1; i < next_var; i++) {
    free(variables[i]);
    free(v_names[i]);
  }
  for (int i = 1; i < next_array; i++) {
    free(arrays[i]->elements);
    free(arrays[i]);
    free(a_names[i]);
  }
  free(variables);
  free(v_names);
  free(arrays);
  free(a_names);
}

static char *make_program(int count) {
  char *program = bc_malloc(count * 32 + 32), *at = program;
  for (int i = 0; i < count; i++) at += sprintf(at, "v%d=%d;", i, i);
  strcpy(at, "table[0]=5;table[1]=7");
  return program;
}

int main(void) {
  char *program;
  variables = NULL;
  program = make_program(70);
  execute(program);
  printf("%ld\n", sum_of_all());
  free(program);
  clean_up();
  return 0;
}
