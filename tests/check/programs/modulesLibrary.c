/* A library for modules.c. */
static int hidden[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static int beside[8] = { 8, 7, 6, 5, 4, 3, 2, 1 };
int visible[4] = { 4, 3, 2, 1 };
static int *in_data = hidden, *in_data_end = hidden + 8;

int *row(void) { return hidden; }
int *row_end(void) { return hidden + 8; }

int total(void) {
  int sum = 0;
  for (int *at = hidden; at != hidden + 8; at++) sum += *at;
  for (int *at = in_data; at != in_data_end; at++) sum += *at;
  for (int *at = in_data; at != row_end(); at++) sum += *at;
  for (int *at = visible; at != visible + 4; at++) sum += *at;
  for (int *at = beside + 7; at >= beside; at--) sum = sum * 3 + *at;
  return sum;
}

int overflow(void) {
  int sum = 0, *at = row();
  for (int i = 0; i <= 8; i++) sum += at[i];
  return sum;
}
