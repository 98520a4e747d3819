/* rep scas over a string without an end, up to the end of the stack. */
int main(void) {
  char text[16];
  for (int i = 0; i < 16; i++) text[i] = 'x';
  char *end = text;
  unsigned long left = -1ul;
  __asm__ volatile("repne scasb" : "+D"(end), "+c"(left) : "a"(0x1ff & 0xfe) : "memory", "cc");
  return (int)left;
}
