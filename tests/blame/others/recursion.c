int f(int n) { char b[1000]; b[n % 1000] = 1; return f(n + 1) + b[0]; }
int main(void) { return f(0); }
