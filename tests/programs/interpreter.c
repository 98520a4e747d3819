// A bytecode interpreter with computed goto, another with a big switch; they must agree.
#include <stdint.h>
#include <stdio.h>
enum { PUSH, ADD, SUB, MUL, DUP, SWAP, JNZ, PRINT, LOAD, STORE, XOR, SHR, HALT };
static const int32_t program[] = {
    PUSH, 1, STORE, 0, PUSH, 20000, STORE, 1,                                  // acc = 1, n = 20000
    LOAD, 0, PUSH, 31, MUL, LOAD, 1, XOR, DUP, PUSH, 7, SHR, ADD, STORE, 0,    // acc = acc * 31 ^ n; acc += acc >> 7
    LOAD, 1, PUSH, 1, SUB, DUP, STORE, 1, JNZ, 8, LOAD, 0, PRINT, HALT};

static int64_t threaded(const int32_t *code) {
    static void *labels[] = {&&push, &&add, &&sub, &&mul, &&dup, &&swap, &&jnz, &&print, &&load, &&store, &&xor, &&shr, &&halt};
    int64_t stack[16], vars[2] = {0}, *sp = stack, t, last = 0;
    const int32_t *pc = code;
#define NEXT goto *labels[*pc++]
    NEXT;
push: *sp++ = *pc++; NEXT;
add: sp--; sp[-1] += sp[0]; NEXT;
sub: sp--; sp[-1] -= sp[0]; NEXT;
mul: sp--; sp[-1] = (int64_t)((uint64_t)sp[-1] * (uint64_t)sp[0]); NEXT;
dup: sp[0] = sp[-1]; sp++; NEXT;
swap: t = sp[-1]; sp[-1] = sp[-2]; sp[-2] = t; NEXT;
jnz: pc++; if (*--sp) pc = code + pc[-1]; NEXT;
print: printf("%lld\n", (long long)(last = *--sp)); NEXT;
load: *sp++ = vars[*pc++]; NEXT;
store: vars[*pc++] = *--sp; NEXT;
xor: sp--; sp[-1] ^= sp[0]; NEXT;
shr: sp--; sp[-1] = (int64_t)((uint64_t)sp[-1] >> sp[0]); NEXT;
halt: return last;
}

static int64_t switched(const int32_t *code) {
    int64_t stack[16], vars[2] = {0}, *sp = stack, t, last = 0;
    for (const int32_t *pc = code;;) {
        switch (*pc++) {
        case PUSH: *sp++ = *pc++; break;
        case ADD: sp--; sp[-1] += sp[0]; break;
        case SUB: sp--; sp[-1] -= sp[0]; break;
        case MUL: sp--; sp[-1] = (int64_t)((uint64_t)sp[-1] * (uint64_t)sp[0]); break;
        case DUP: sp[0] = sp[-1]; sp++; break;
        case SWAP: t = sp[-1]; sp[-1] = sp[-2]; sp[-2] = t; break;
        case JNZ: pc++; if (*--sp) pc = code + pc[-1]; break;
        case PRINT: printf("%lld\n", (long long)(last = *--sp)); break;
        case LOAD: *sp++ = vars[*pc++]; break;
        case STORE: vars[*pc++] = *--sp; break;
        case XOR: sp--; sp[-1] ^= sp[0]; break;
        case SHR: sp--; sp[-1] = (int64_t)((uint64_t)sp[-1] >> sp[0]); break;
        case HALT: return last;
        }
    }
}

int main(void) {
    puts(threaded(program) == switched(program) ? "agree" : "differ");
    return 0;
}
