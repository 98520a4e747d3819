"""Pure Python of everyday kinds: loops over integers, dictionaries, strings, objects, generators."""
import sys


def sieve(limit):
    flags = bytearray([1]) * (limit + 1)
    for i in range(2, int(limit**0.5) + 1):
        if flags[i]:
            for j in range(i * i, limit + 1, i):
                flags[j] = 0
    return sum(flags) - 2


def word_counts(rounds):
    words = "the quick brown fox jumps over the lazy dog and runs away".split()
    counts = {}
    for i in range(rounds):
        word = words[i * 7 % len(words)] + str(i % 97)
        counts[word] = counts.get(word, 0) + len(word)
    return ",".join(f"{k}={counts[k]}" for k in sorted(counts)[:5])


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)


def vectors(rounds):
    total = Vector(0, 0)
    step = Vector(1, -0.5)
    for _ in range(rounds):
        total = total + step
    return total.x, total.y


def queens(n, row=0, columns=0, left=0, right=0):
    if row == n:
        return 1
    free = ~(columns | left | right) & ((1 << n) - 1)
    found = 0
    while free:
        bit = free & -free
        free ^= bit
        found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return found


def main():
    scale = int(sys.argv[1])
    print(sieve(30_000 * scale))
    print(word_counts(25_000 * scale))
    print(vectors(20_000 * scale))
    print(queens(7), [queens(6) for _ in range(scale)][-1])
    print(sum(x * x % 7 for x in range(40_000 * scale) if x & 3))
    text = "\n".join(f"line {i}: {'x' * (i % 13)}" for i in range(4_000 * scale))
    print(len([line for line in text.split("\n") if line.endswith("xxx") and line.replace("x", "y")]))


main()
