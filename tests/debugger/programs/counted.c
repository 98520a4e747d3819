// A library with a variable that the program which uses it may have a copy of.
int counted = 5;

void count(void) {
  counted++;
}
