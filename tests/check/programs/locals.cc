// What C++ adds to it: objects that point into themselves, references, destructors, exceptions, lambdas.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct Guard {
  explicit Guard(int &count) : count(count) { count++; }
  ~Guard() { count += 10; }
  int &count;
};

struct Base {
  virtual ~Base() = default;
  virtual int value() const { return own[1]; }
  int own[2] = { 1, 2 };
};

struct Derived : Base {
  int value() const override { return more.size() + Base::value(); }
  std::string more = "short";
};

static std::string joined(const std::vector<std::string> &words) {
  std::string all;
  for (const auto &word : words) all += word + ",";
  return all;
}

static int thrown(int depth, int &count) {
  Guard guard(count);
  std::string text = "local " + std::to_string(depth);
  if (depth == 0) throw text;
  return thrown(depth - 1, count);
}

static Derived made(int n) {
  Derived result;
  result.own[1] = n;
  return result;
}

int main() {
  int count = 0;
  std::array<int, 5> row = { 5, 3, 1, 4, 2 };
  std::sort(row.begin(), row.end());
  for (int i = 0; i < 3; i++) {
    try {
      thrown(i, count);
    } catch (const std::string &text) {
      count += text.size();
    }
  }
  std::string a = "one", b = "a text that is too long to be kept inside";
  std::swap(a, b);
  std::function<int(int)> add = [&row, count](int by) { return row[0] + by + count; };
  Derived derived = made(7);
  Base &base = derived;
  std::ostringstream stream;
  stream << joined({ a, b, "three" }) << ' ' << add(2) << ' ' << base.value();
  std::map<std::string, std::unique_ptr<Derived>> byName;
  byName["x"] = std::make_unique<Derived>(derived);
  std::printf("%s %d %d %d\n", stream.str().c_str(), count, byName["x"]->value(), *std::max_element(row.begin(), row.end()));
}
