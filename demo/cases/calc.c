/*
 * calc: a desk calculator with named variables and arrays. A line is NAME = EXPRESSION, NAME[EXPRESSION] = EXPRESSION,
 * or an expression, which is printed. Numbers are whole; + - * / and parentheses.
 *
 *   gcc -g -O0 -o calc calc.c
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MORE 16
#define NAME_ROOM 16

typedef struct {
    int size;
    long *items;
} Array;

static long *variables = NULL;
static char **v_names = NULL;
static int v_count = 0, v_used = 0;

static Array **arrays = NULL;
static char **a_names = NULL;
static int a_count = 0, a_used = 0;

static const char *at;

static void *get(size_t size)
{
    void *room = malloc(size);
    if (room == NULL) {
        fprintf(stderr, "calc: out of memory\n");
        exit(1);
    }
    return room;
}

static void more_variables(void)
{
    int i, old_count = v_count;
    long *old_variables = variables;
    char **old_names = v_names;

    v_count += MORE;
    variables = get(v_count * sizeof *variables);
    v_names = get(v_count * sizeof *v_names);
    for (i = 0; i < old_count; i++) {
        variables[i] = old_variables[i];
        v_names[i] = old_names[i];
    }
    for (; i < v_count; i++) {
        variables[i] = 0;
        v_names[i] = NULL;
    }
    free(old_variables);
    free(old_names);
}

static void more_arrays(void)
{
    int i, old_count = a_count;
    Array **old_arrays = arrays;
    char **old_names = a_names;

    a_count += MORE;
    a_names = get(a_count * sizeof *a_names);
    arrays = get(a_count * sizeof *arrays);
    for (i = 0; i < old_count; i++) {
        arrays[i] = old_arrays[i];
        a_names[i] = old_names[i];
    }
    for (; i < v_count; i++)
        arrays[i] = NULL;
    free(old_arrays);
    free(old_names);
}

static int find_variable(const char *name)
{
    for (int i = 0; i < v_used; i++)
        if (strcmp(v_names[i], name) == 0)
            return i;
    if (v_used == v_count)
        more_variables();
    v_names[v_used] = strdup(name);
    return v_used++;
}

static int find_array(const char *name)
{
    for (int i = 0; i < a_used; i++)
        if (strcmp(a_names[i], name) == 0)
            return i;
    if (a_used == a_count)
        more_arrays();
    a_names[a_used] = strdup(name);
    return a_used++;
}

static long *item(int number, long index)
{
    Array *array = arrays[number];
    if (index < 0 || index > 100000) {
        fprintf(stderr, "calc: there is no item %ld\n", index);
        exit(1);
    }
    if (array == NULL) {
        array = arrays[number] = get(sizeof *array);
        array->size = 0;
        array->items = NULL;
    }
    if (index >= array->size) {
        long *items = realloc(array->items, (index + 1) * sizeof *items);
        memset(items + array->size, 0, (index + 1 - array->size) * sizeof *items);
        array->items = items;
        array->size = (int)index + 1;
    }
    return &array->items[index];
}

static void skip_blanks(void)
{
    while (*at == ' ')
        at++;
}

static long expression(void);

static long factor(void)
{
    char name[NAME_ROOM];
    int length = 0;
    long value;

    skip_blanks();
    if (*at == '-') {
        at++;
        return -factor();
    }
    if (*at == '(') {
        at++;
        value = expression();
        at += *at == ')';
        return value;
    }
    if (isdigit((unsigned char)*at))
        return strtol(at, (char **)&at, 10);
    while (isalpha((unsigned char)*at) && length < NAME_ROOM - 1)
        name[length++] = *at++;
    name[length] = '\0';
    if (length == 0) {
        fprintf(stderr, "calc: a number or a name is missing at \"%s\"\n", at);
        exit(1);
    }
    if (*at != '[')
        return variables[find_variable(name)];
    at++;
    value = expression();
    at += *at == ']';
    return *item(find_array(name), value);
}

static long term(void)
{
    long value = factor();
    for (skip_blanks(); *at == '*' || *at == '/'; skip_blanks()) {
        char operator = *at++;
        long right = factor();
        if (operator == '*')
            value *= right;
        else if (right != 0)
            value /= right;
    }
    return value;
}

static long expression(void)
{
    long value = term();
    for (skip_blanks(); *at == '+' || *at == '-'; skip_blanks()) {
        char operator = *at++;
        long right = term();
        value = operator == '+' ? value + right : value - right;
    }
    return value;
}

static void assign(const char *line, const char *equals)
{
    char name[NAME_ROOM];
    int length = 0;
    while (isalpha((unsigned char)*line) && length < NAME_ROOM - 1)
        name[length++] = *line++;
    name[length] = '\0';
    if (*line == '[') {
        at = line + 1;
        long index = expression();
        at = equals + 1;
        long value = expression();
        *item(find_array(name), index) = value;
    } else {
        at = equals + 1;
        long value = expression();
        int number = find_variable(name);
        variables[number] = value;
    }
}

int main(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *equals = strchr(line, '=');
        if (equals != NULL) {
            assign(line, equals);
        } else if (line[0] != '\0') {
            at = line;
            printf("%ld\n", expression());
        }
    }
    return 0;
}
