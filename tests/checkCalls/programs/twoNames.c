/* One function that has two names. */
int one_name(int n)
{
    return n;
}

int other_name(int) __attribute__((alias("one_name")));

int main(void)
{
    int sum = one_name(1);
    sum += one_name(1);
    sum += other_name(2);
    return sum - 4;
}
