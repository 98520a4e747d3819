# Exceptions, context managers, closures, decorators, async, recursion; ends with a traceback and status 1.
import asyncio, contextlib, dataclasses, enum, sys, traceback, typing

class Colour(enum.Flag):
    RED = enum.auto(); GREEN = enum.auto()

@dataclasses.dataclass(order=True, frozen=True)
class Point:
    x: int
    y: float = 1.5
    tags: typing.Tuple[str, ...] = ()

@contextlib.contextmanager
def section(name):
    print("enter", name)
    try: yield name.upper()
    except KeyError as e: print("swallowed", e)
    finally: print("leave", name)

with section("a") as n:
    print(n); raise KeyError("inside")
print(sorted([Point(2), Point(1, 9.0), Point(1)]), Colour.RED | Colour.GREEN, hash(Point(1)) == hash(Point(1)))

def chain():
    try: return 1 / 0
    except ZeroDivisionError as e: raise ValueError("chained") from e
try: chain()
except ValueError: print(traceback.format_exc().replace(__file__, "FILE"))

def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
print(depth(900))
try: depth(10**6)
except RecursionError as e: print(type(e).__name__, e)

async def worker(name, n):
    for i in range(n): await asyncio.sleep(0)
    return name * n
async def main(): return await asyncio.gather(*(worker(c, i) for i, c in enumerate("abc")))
coroutine = main()
try:
    while True: coroutine.send(None)
except RuntimeError as e: print("no loop:", e)
class Meta(type):
    def __call__(cls, *a): print("making", cls.__name__); return super().__call__(*a)
class Made(metaclass=Meta):
    def __getattr__(self, name): return name[::-1]
    def __del__(self): print("gone")
print(Made().olleh); sys.stderr.write("to stderr\n"); match_me = {"k": [1, 2]}
match match_me:
    case {"k": [a, b]}: print(a + b)
raise SystemError("the end")
