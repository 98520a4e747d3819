// Exceptions: handlers are reached by no jump of the function.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static int sink;
struct Guard {
  int number;
  ~Guard() { sink = sink * 31 + number; }
};

__attribute__((noinline)) static int risky(int x) {
  Guard guard{x};
  if (x == 2) throw std::runtime_error("two");
  if (x == 3) throw x;
  return x + 1;
}

__attribute__((noinline)) static int caught(int x) {
  Guard guard{x + 10};
  try {
    return risky(x);
  } catch (const std::runtime_error &error) {
    return static_cast<int>(std::string(error.what()).size());
  } catch (int number) {
    if (number > 2) return -number;
    return number;
  }
}

int main() {
  long total = 0;
  std::vector<int> numbers;
  for (int i = 0; i < 5; i++) numbers.push_back(caught(i));
  for (int number : numbers) total = total * 3 + number;
  try {
    total += numbers.at(99);
  } catch (const std::out_of_range &) {
    total++;
  }
  std::printf("%ld %d\n", total, sink);
}
