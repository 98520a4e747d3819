/* A unit of modules.c that is compiled with optimisation. */
extern int shared[8];

int optimised_total(const int *at) {
  int sum = 0;
  while (at != shared + 8) sum += *at++;
  return sum;
}

int *optimised_begin(void) { return shared; }
