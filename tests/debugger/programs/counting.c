// Uses counted.c.
extern int counted;
void count(void);

int main(void) {
  count();
  counted += 10;
  count();
  return counted;
}
