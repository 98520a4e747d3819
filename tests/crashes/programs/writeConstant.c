/* A write to a string literal. */
int main(void) {
  char *text = (char *)"constant text";
  for (int i = 0; i < 3; i++) text[i + 4] = 'x';
  return text[0];
}
