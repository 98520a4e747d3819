// std::thread and what comes with it: exceptions across threads, futures, condition variables, thread_local objects.
#include <atomic>
#include <condition_variable>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> destroyed{0};

struct Local {
  int value = 0;
  ~Local() { destroyed += value; }
};

static thread_local Local local;

static int risky(int n) {
  if (n % 3 == 0) throw std::runtime_error("no " + std::to_string(n));
  return n * n;
}

static long depth(int n) {
  std::string text(n, 'x');
  if (n == 0) throw std::out_of_range("bottom");
  return depth(n - 1) + (long)text.size();
}

int main() {
  std::vector<std::thread> threads;
  std::atomic<int> caught{0}, sum{0};
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; i++) {
        try {
          sum += risky(i * 4 + t) % 7;
          local.value = 1;
        } catch (const std::runtime_error &error) {
          caught += std::string(error.what()).rfind("no ", 0) == 0;
        }
        try {
          depth(20);
        } catch (const std::out_of_range &) {
          caught++;
        }
      }
    });
  for (auto &thread : threads) thread.join();
  std::cout << "caught " << caught << " sum " << sum << " destroyed " << destroyed << std::endl;

  std::vector<std::future<int>> futures;
  for (int i = 0; i < 6; i++) futures.push_back(std::async(std::launch::async, risky, i));
  for (auto &future : futures) {
    try {
      std::cout << future.get() << ' ';
    } catch (const std::exception &error) {
      std::cout << '[' << error.what() << "] ";
    }
  }
  std::cout << std::endl;

  std::mutex mutex;
  std::condition_variable condition;
  std::vector<int> queue;
  bool done = false;
  std::promise<long> promise;
  auto total = promise.get_future();
  std::thread consumer([&] {
    long sum = 0;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex);
      condition.wait(lock, [&] { return done || !queue.empty(); });
      sum = std::accumulate(queue.begin(), queue.end(), sum);
      queue.clear();
      if (done) break;
    }
    promise.set_value(sum);
  });
  for (int i = 1; i <= 1000; i++) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      queue.push_back(i);
    }
    condition.notify_one();
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  condition.notify_all();
  std::cout << "total " << total.get() << std::endl;
  consumer.join();

  std::shared_mutex shared;
  std::map<int, int> table;
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; t++)
    readers.emplace_back([&, t] {
      for (int i = 0; i < 300; i++) {
        if (i % 10 == t) {
          std::unique_lock<std::shared_mutex> lock(shared);
          table[i] += t + 1;
        } else {
          std::shared_lock<std::shared_mutex> lock(shared);
          if (table.count(i) && table.at(i) < 0) std::terminate();
        }
      }
    });
  for (auto &reader : readers) reader.join();
  std::cout << "table " << table.size() << std::endl;

  auto waiting = std::async(std::launch::async, [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); return 5; });
  std::cout << "ready " << (waiting.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready) << std::endl;
  std::cout << "value " << waiting.get() << std::endl;
  std::thread last([] { throw std::logic_error("nobody catches this"); });
  last.join();
}
