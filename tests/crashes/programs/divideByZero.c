/* Division by zero in a loop that has run for a while. */
int main(void) {
  volatile int limit = 1000;
  long sum = 0;
  for (int i = 0; i <= limit; i++) sum += 100000 / (limit - i);
  return (int)sum;
}
