"""Threads of Python: queues, events, barriers, pools, exceptions, thread-local data, conditions."""
import concurrent.futures
import queue
import threading

work = queue.Queue(maxsize=10)
results = []
lock = threading.Lock()


def worker():
    while (item := work.get()) is not None:
        with lock:
            results.append(item * item)
        work.task_done()


threads = [threading.Thread(target=worker) for _ in range(4)]
for thread in threads:
    thread.start()
for i in range(300):
    work.put(i)
work.join()
for _ in threads:
    work.put(None)
for thread in threads:
    thread.join()
print(sum(results), len(results))

event = threading.Event()
threading.Timer(0.02, event.set).start()
print(event.wait(10))
event.clear()
print(event.wait(0.01))

barrier = threading.Barrier(3)
threads = [threading.Thread(target=barrier.wait) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("barrier", barrier.broken)

condition = threading.Condition()
ready = []


def consume():
    with condition:
        condition.wait_for(lambda: len(ready) == 5)
        ready.append("seen")


consumer = threading.Thread(target=consume)
consumer.start()
for i in range(5):
    with condition:
        ready.append(i)
        condition.notify()
consumer.join()
print(ready)

with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(list(pool.map(lambda x: x**3, range(8))))
    future = pool.submit(lambda: 1 // 0)
    print(type(future.exception()).__name__)

local = threading.local()
local.value = 1
seen = []
thread = threading.Thread(target=lambda: seen.append(hasattr(local, "value")))
thread.start()
thread.join()
print(seen, threading.active_count())
