// Spin locks and a ticket lock: in which order threads get in.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_flag flag = ATOMIC_FLAG_INIT; static atomic_int next, serving, phase; static unsigned order; static long inside;
static void *spin(void *p) { long me = (long)p; for (int i = 0; i < 300; i++) { while (atomic_flag_test_and_set(&flag)) if (i & 1) sched_yield(); order = order * 5 + me; inside += me; atomic_flag_clear(&flag); int mine = atomic_fetch_add(&next, 1); while (atomic_load(&serving) != mine) sched_yield(); order = order * 3 + me; atomic_store(&serving, mine + 1); } atomic_fetch_add(&phase, 1); return NULL; }
int main(void) { pthread_t t[4]; for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, spin, (void *)i); while (atomic_load(&phase) < 4) { order += 1; sched_yield(); } for (int i = 0; i < 4; i++) pthread_join(t[i], NULL); printf("%u %ld %d\n", order, inside, atomic_load(&next)); return 0; }
