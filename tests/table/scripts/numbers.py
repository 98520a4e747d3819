# Floats, big integers, decimal, fractions, math, struct.
import math, cmath, decimal, fractions, struct, statistics, random

for f in (math.sin, math.cos, math.tan, math.exp, math.expm1, math.log1p, math.sqrt, math.gamma, math.erf, math.asinh, math.cbrt):
    print(f.__name__, [f(x / 7).hex() for x in range(0, 20, 3)])
print([math.fmod(x, 0.3) for x in (1.0, -2.5, 1e18)], math.hypot(3, 4, 12), math.fsum([0.1] * 10), math.isqrt(10**41))
print(1e308 * 10, -1e308 * 10, float("nan"), 0.1 + 0.2, 1e16, 1e-7, 123456789.123456789, 5e-324, 2**0.5)
print(f"{math.pi:.30f} {math.e:e} {1234567.891:,.2f} {255:#x} {0.000123:g} {1e100:.0f}")
print(3**500 % 10**50, pow(7, -1, 1000007), (1 << 1000) // 3**100, (-7) // 2, -7 % 3, divmod(-10**30, 7**13))
print(cmath.sqrt(-1), (1 + 2j) ** 3, abs(3 - 4j))
decimal.getcontext().prec = 50
print(decimal.Decimal(1) / 7, decimal.Decimal(2).sqrt(), decimal.Decimal("1.1").ln(), decimal.Decimal("1e-5").quantize(decimal.Decimal("0.001")))
print(fractions.Fraction(355, 113) - fractions.Fraction(22, 7), fractions.Fraction(0.1), sum(fractions.Fraction(1, n) for n in range(1, 30)))
print(struct.pack(">IhBd4s", 0xDEADBEEF, -2, 255, 1.5, b"ab").hex(), struct.unpack("<fe", b"\x00\x00\x80?\x00<"))
random.seed(42)
print([random.random() for _ in range(4)], random.sample(range(100), 10), random.gauss(0, 1), random.choice("abc"), random.getrandbits(100))
values = [random.expovariate(1) for _ in range(1000)]
print(statistics.mean(values), statistics.stdev(values), statistics.median(values))
print(float.fromhex("0x1.8p-3"), (0.1).as_integer_ratio(), round(2.5), round(-0.5), round(2.675, 2), int("zz", 36), str(10**100)[:20])
print((3.7).__floor__(), int(-3.99), math.nextafter(1, 2), math.ulp(1e300), math.frexp(1e-310), math.ldexp(1, -1074))
