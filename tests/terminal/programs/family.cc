// Inheritance, templates, references, overloads, operators, member pointers, scoped enumerations, lambdas.
#include <cstdio>

namespace zoo {
enum class Mood : short { calm = 1, wild = 7 };

class Animal {
 public:
  explicit Animal(const char *name) : name_(name) {}
  virtual ~Animal() {}
  virtual int legs() const { return 4; }
  const char *name() const { return name_; }
  static int count;

 protected:
  const char *name_;
  Mood mood_ = Mood::calm;
};
int Animal::count = 2;

struct Swimmer {
  int depth = 30;
  virtual int dive() { return depth; }
};

class Duck : public Animal, public virtual Swimmer {
 public:
  Duck() : Animal("duck") {}
  int legs() const override { return 2; }
  int operator[](int i) const { return eggs[i]; }

 private:
  int eggs[3] = {4, 5, 6};
};

template <typename T, int N = 2> class Pair {
 public:
  T items[N];
  const T &first() const { return items[0]; }
  template <typename U> U as(int i) const { return static_cast<U>(items[i]); }
  friend Pair operator+(const Pair &a, const Pair &b) { return {{a.items[0] + b.items[0], a.items[1] + b.items[1]}}; }
};

union Number {
  int whole;
  float real;
};
}  // namespace zoo

using zoo::Duck;
using Doubles = zoo::Pair<double>;

struct Point {
  int x, y;
  Point operator-(const Point &other) const { return {x - other.x, y - other.y}; }
  bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};

template <typename T> T twice(T value) {
  T result = value + value;
  return result;
}

static int visit(const zoo::Animal &animal, Point &&point, Doubles *pair) {
  int legs = animal.legs();
  auto scale = [&point, legs](int by) {
    int scaled = point.x * by + legs;
    return scaled;
  };
  return scale(3) + static_cast<int>(pair->first());
}

static int visit(int number) { return number; }

int Point::*coordinate = &Point::y;
int (zoo::Animal::*question)() const = &zoo::Animal::legs;
zoo::Number number = {7};
const Point origin = {0, 0};

int main() {
  Duck duck;
  zoo::Animal &alias = duck;
  zoo::Animal *pointer = &duck;
  Doubles doubles = {{1.5, 2.5}};
  Point points[2] = {{1, 2}, {3, 4}};
  Point difference = points[1] - points[0];
  int result = visit(alias, Point{5, 6}, &doubles) + visit(duck[1]);
  result += twice(result) + static_cast<int>(twice(1.25)) + (pointer->*question)() + difference.*coordinate;
  result += (doubles + doubles).as<int>(1) + (origin == difference) + number.whole;
  std::printf("%d %s\n", result, pointer->name());
  return 0;
}
