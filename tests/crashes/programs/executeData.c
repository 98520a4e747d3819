/* Data is not code: ret; in a page that may not be executed. */
static unsigned char code[16] = { 0xc3 };
int main(void) {
  void (*volatile call)(void) = (void (*)(void))(void *)(code + 0);
  call();
  return 0;
}
