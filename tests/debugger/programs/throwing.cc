#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace shapes {
struct Shape {
  explicit Shape(int n) : size(n) {}
  virtual ~Shape() {}
  virtual int area() const { return size; }
  int size;
};

struct Square : Shape {
  explicit Square(int n) : Shape(n) {}
  int area() const override { return size * size; }
};
}  // namespace shapes

template <typename T>
T larger(T a, T b) {
  return a > b ? a : b;
}

static int check(int n) {
  if (n > 2)
    throw std::runtime_error("too large");
  return n;
}

static int attempt(int n) {
  try {
    return check(n);
  } catch (const std::exception &problem) {
    return -1;
  }
}

int main() {
  shapes::Square square(3);
  const shapes::Shape &shape = square;
  int area = shape.area();
  int most = larger(area, 4);
  double real = larger(1.5, 2.5);
  int sum = attempt(1);
  sum += attempt(5);
  std::printf("%d %d %g %d\n", area, most, real, sum);
  return 0;
}
