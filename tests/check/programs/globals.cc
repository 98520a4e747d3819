// What C++ adds to it: static members, inline variables, references to arrays, ranges, objects with constructors, templates.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

struct Tables {
  static int counts[6];
  static const int limits[6];
  static inline int shared[6] = { 6, 5, 4, 3, 2, 1 };
  int own[4] = { 1, 2, 3, 4 };
  int *begin() { return own; }
  int *end() { return own + 4; }
};
int Tables::counts[6] = { 1, 2, 3, 4, 5, 6 };
const int Tables::limits[6] = { 10, 20, 30, 40, 50, 60 };
inline int inlined[8] = { 1, 1, 2, 3, 5, 8, 13, 21 };
inline int inlined_too[8] = { 2, 2, 4, 6, 10, 16, 26, 42 };
constexpr int primes[] = { 2, 3, 5, 7, 11, 13, 17, 19 };

namespace {
int hidden[8] = { 8, 6, 7, 5, 3, 0, 9, 1 };
int hidden_too[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
Tables tables;
std::string name = "a name that is too long to be in the object itself", shorter = "short";
std::vector<int> numbers(hidden, hidden + 8);
std::array<int, 5> fixed = { 5, 4, 3, 2, 1 };
std::map<std::string, int *> places = { { "hidden", hidden }, { "end of hidden", hidden + 8 }, { "counts", Tables::counts } };
std::mutex lock;
}

template <typename T, int N> struct Ring {
  static T slots[N];
  static T sum() {
    T total = 0;
    for (T *at = slots; at != slots + N; at++) total += *at;
    return total;
  }
};
template <typename T, int N> T Ring<T, N>::slots[N] = { 1, 2, 3 };

template <typename T, size_t N> static T total(const T (&row)[N]) {
  T sum = 0;
  for (const T &one : row) sum += one;
  return sum + std::accumulate(row, row + N, 0) + *std::max_element(std::begin(row), std::end(row));
}

struct Counted {
  explicit Counted(int *where) : where(where) { *where += 1; }
  ~Counted() { std::printf("gone: %d\n", *where); }
  int *where;
};
static Counted counted(&hidden_too[7]);

static int &element(int at) {
  static int kept[4] = { 4, 3, 2, 1 };
  return kept[at];
}

static int ranges() {
  int sum = 0;
  for (int one : hidden) sum += one;
  for (int &one : hidden_too) sum += one++;
  for (int one : Tables::counts) sum += one;
  for (int one : Tables::shared) sum += one;
  for (int one : inlined) sum += one;
  for (auto at = std::begin(inlined_too); at != std::end(inlined_too); ++at) sum += *at;
  for (auto at = std::rbegin(hidden); at != std::rend(hidden); ++at) sum = sum * 3 % 1001 + *at;
  for (int one : tables) sum += one;
  for (int one : fixed) sum += one;
  return sum;
}

int main() {
  std::lock_guard<std::mutex> guard(lock);
  std::printf("%d %d %d %d\n", ranges(), total(hidden), total(Tables::limits), total(primes));
  std::sort(hidden, hidden + 8);
  std::sort(std::begin(hidden_too), std::end(hidden_too), std::greater<int>());
  std::copy(hidden, hidden + 8, inlined);
  std::copy(&hidden[0], &hidden[8], std::begin(inlined_too));
  std::reverse(hidden, hidden + 8);
  for (int one : hidden) std::printf("%d ", one);
  std::printf("%zu %td %d\n", numbers.size(), places["end of hidden"] - places["hidden"], places["counts"] == Tables::counts);
  std::printf("%s %s %d %d\n", name.c_str(), shorter.c_str(), Ring<int, 5>::sum(), (int)Ring<long, 3>::sum());
  element(2) = 9;
  auto lambda = [](int *row) { return row[7] + *(row + 1); };
  std::printf("%d %d %d\n", element(2), lambda(hidden), lambda(inlined));
  std::fill(Tables::counts, Tables::counts + 6, 4);
  std::vector<int> copied(Tables::counts, std::end(Tables::counts));
  return std::accumulate(copied.begin(), copied.end(), 0) - 24;
}
