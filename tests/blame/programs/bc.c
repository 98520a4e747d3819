/*
 * bc 1.06: when the table of arrays grows, its new part is cleared up to the number of variables instead of arrays (HO).
 * Some too many clear the name of a function behind it, which is not used; more of them its body, which is.
 *
 * Commands on standard input: v (a new variable), a (a new array), f N (call the function N times).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORE_INCR 32
#define VARIABLE_INCR 5

struct array { int size; int *values; };
struct instruction { int operation; int operand; };
struct function { const char *name; long calls; struct instruction *body; int length; };

static struct array **arrays;
static long *variables;
static struct function *functions;
static int a_count, v_count, a_used, v_used;
static long accumulator;

static void *bc_malloc(size_t size) {
    void *made = malloc(size);
    if (made == NULL)
        exit(3);
    return made;
}

static void more_variables(void) {
    int old_count = v_count;
    long *old = variables;
    v_count += VARIABLE_INCR;
    variables = bc_malloc((size_t)v_count * sizeof *variables);
    for (int i = 0; i < old_count; i++)
        variables[i] = old[i];
    for (int i = old_count; i < v_count; i++)
        variables[i] = 0;
    free(old);
}

static void more_arrays(void) {
    int indx;
    int old_count = a_count;
    struct array **old = arrays;
    a_count += STORE_INCR;
    arrays = bc_malloc((size_t)a_count * sizeof *arrays);
    for (indx = 0; indx < old_count; indx++)
        arrays[indx] = old[indx];
    for (; indx < v_count; indx++)              // @error
        arrays[indx] = NULL;                    // @corrupt
    free(old);
}

static void new_variable(void) {
    if (v_used == v_count)
        more_variables();
    variables[v_used] = v_used * 3;
    v_used++;
}

static void new_array(void) {
    if (a_used == a_count)
        more_arrays();
    struct array *made = bc_malloc(sizeof *made);
    made->size = 4;
    made->values = calloc(4, sizeof *made->values);
    made->values[a_used % 4] = a_used;
    arrays[a_used++] = made;
}

static void make_function(void) {
    functions->name = "sum";
    functions->calls = 0;
    functions->length = 4;
    functions->body = bc_malloc((size_t)functions->length * sizeof *functions->body);
    for (int i = 0; i < functions->length; i++) {
        functions->body[i].operation = i % 2;
        functions->body[i].operand = i + 1;
    }
}

static void call_function(void) {
    functions->calls++;
    for (int pc = 0; pc < 4; pc++) {
        struct instruction *now = &functions->body[pc];
        if (now->operation == 0)                // @crash1
            accumulator += now->operand;
        else
            accumulator *= now->operand;
        accumulator %= 1000003;
    }
}

static void compute(int rounds) {
    for (int i = 0; i < rounds; i++)
        for (int j = 0; j < v_used; j++)
            accumulator = (accumulator * 31 + variables[j]) % 1000003;
}

int main(void) {
    /* The input's buffer leaves a gap, right before the functions, that the table of arrays will fit. */
    char *line = bc_malloc(STORE_INCR * sizeof *arrays);
    functions = bc_malloc(sizeof *functions);
    make_function();
    int count = 0;
    while (count < 255 && fgets(line, 16, stdin) != NULL) {
        int command = line[0];
        int times = atoi(line + 1);
        if (command == '!') {
            free(line);
            line = bc_malloc(600);
        }
        for (int i = 0; command == 'v' && i < times; i++)
            new_variable();
        for (int i = 0; command == 'a' && i < times; i++)
            new_array();
        for (int i = 0; command == 'f' && i < times; i++)
            call_function();
        if (command == 'c')
            compute(times);
        count++;
    }
    printf("%d variables, %d arrays: %ld\n", v_used, a_used, accumulator);
    return 0;
}
