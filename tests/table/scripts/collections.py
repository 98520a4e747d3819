# Containers, sorting, comprehensions, generators, classes.
import collections, functools, heapq, itertools, bisect, operator

class Node:
    __slots__ = ("key", "left", "right")
    def __init__(self, key): self.key, self.left, self.right = key, None, None

def insert(root, key):
    if root is None: return Node(key)
    if key < root.key: root.left = insert(root.left, key)
    elif key > root.key: root.right = insert(root.right, key)
    return root

def walk(root):
    if root is not None:
        yield from walk(root.left)
        yield root.key
        yield from walk(root.right)

x, root = 12345, None
for _ in range(800):
    x = (x * 1103515245 + 12345) % 2**31
    root = insert(root, x % 1000)
print(list(walk(root))[:40])

words = ("the quick brown fox jumps over the lazy dog " * 40).split()
print(collections.Counter(words).most_common(4))
print(sorted(set(words), key=lambda w: (len(w), w)))
print(functools.reduce(operator.mul, range(1, 60)))
heap = [(v * 7919) % 1009 for v in range(300)]
heapq.heapify(heap)
print([heapq.heappop(heap) for _ in range(20)])
print(list(itertools.islice(itertools.permutations("abcd"), 10)))
print(bisect.bisect([1, 3, 5, 7], 4), {k: v for k, v in zip("abc", itertools.count(1))})

@functools.lru_cache(maxsize=None)
def ways(n, coins=(1, 2, 5, 10, 20, 50)):
    return 1 if n == 0 else 0 if n < 0 or not coins else ways(n - coins[-1], coins) + ways(n, coins[:-1])
print(ways(500))
d = collections.OrderedDict((str(i), i * i) for i in range(10)); d.move_to_end("3")
print(d, collections.deque(range(5), maxlen=3), collections.ChainMap({"a": 1}, {"b": 2})["b"])
