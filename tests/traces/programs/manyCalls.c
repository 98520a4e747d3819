/* Calls that are close together, with a long way between some of them. */
volatile long sum;

void near(int x) { sum += x; }

int main(void) {
    for (int round = 0; round < 3; round++) {
        for (int x = 0; x < 64; x++) near(x);
        for (int i = 0; i < 500000; i++) sum += i;
    }
    return 0;
}
