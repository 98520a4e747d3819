#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

std::vector<int> numbers{1, 2, 3};
std::map<std::string, std::vector<int>> lists{{"even", {2}}, {"odd", {1, 3}}};
std::unique_ptr<std::string> own(new std::string("owned"));
std::vector<int> *pointer = &numbers;

namespace geometry {
int made = 0;

struct Point {
  int x, y;
};

class Shape {
public:
  explicit Shape(int n) : name_(n) { made++; }
  virtual ~Shape() {}
  virtual double area() const = 0;
protected:
  int name_;
private:
  static int secret;
};

int Shape::secret = 42;

class Square : public Shape {
public:
  Square(int n, double side) : Shape(n), side(side), corner{n, -n} {}
  double area() const override { return side * side; }
  double side;
  Point corner;
  union {
    int whole;
    char first;
  };
};
}

static double measure(const geometry::Shape &shape, geometry::Point &where) {
  where.x += 1;
  return shape.area();
}

static int risky(int n) {
  if (n > 1) throw std::runtime_error("too much");
  return n;
}

int main() {
  geometry::Square square(7, 1.5);
  square.whole = 65;
  double area = measure(square, square.corner);
  int caught = 0;
  for (int i = 0; i < 4; i++) {
    try {
      risky(i);
    } catch (const std::exception &problem) {
      caught++;
    }
  }
  printf("%g %d %d\n", area, square.corner.x, caught);
  return 0;
}
