// Types, scopes and names of C++.
#include <cstdio>
#include <string>
#include <vector>

namespace outer {
enum class Level : unsigned char { low, high = 9 };
enum Plain { alpha, beta };
int counter = 1;
namespace inner {
int counter = 2;
struct Base {
  virtual ~Base() {}
  virtual int area() const { return 0; }
  int id = 1;
};
class Shape : public Base {
 public:
  explicit Shape(int w) : width(w) { total++; }
  int area() const override;
  static int total;
  static int count() { return total; }
  static const int limit = 12;
  int scale(int by) { return width *= by; }
  double scale(double by) { return width * by; }
  struct Inside { int part; int twice() { return part * 2; } };
  Inside inside{3};

 protected:
  int width;

 private:
  Level level = Level::high;
};
int Shape::total = 0;
int Shape::area() const {
  int squared = width * width;
  return squared;
}
}  // namespace inner
inline namespace v1 {
int versioned(int x) { return x + 1; }
}
}  // namespace outer

namespace {
int hidden(int x) { return x * 3; }
struct Local { int value; };
}  // namespace

template <typename T, int N> struct Array {
  T items[N];
  T &at(int i) { return items[i]; }
  int operator()(int i) const { return items[i]; }
  bool operator<(const Array &other) const { return items[0] < other.items[0]; }
};
template <typename T> T largest(T a, T b) { return a < b ? b : a; }

struct Virtual1 : virtual outer::inner::Base { int one = 1; };
struct Virtual2 : virtual outer::inner::Base { int two = 2; };
struct Diamond : Virtual1, Virtual2 { int three = 3; };
union Either { int number; float real; Either() : number(0) {} };

typedef int (outer::inner::Shape::*Method)() const;
typedef int Array<int, 3>::*Unused;
int outer::inner::Base::*member_pointer = &outer::inner::Base::id;
Method method_pointer = &outer::inner::Shape::area;
Diamond diamond;
Either either;
Array<int, 3> triple = {{1, 2, 3}};
Array<const char *, 2> texts = {{"a", "b"}};
std::string text = "hello";
std::vector<int> several = {1, 2, 3};
Local local = {8};
outer::Level level = outer::Level::low;
outer::Plain plain = outer::beta;
decltype(nullptr) nothing = nullptr;
char16_t wide_char = u'x';
bool truth = true;

int takes(const std::string &name, int &&moved, Array<int, 3> &array, const outer::inner::Shape *shape) {
  auto lambda = [&](int x) {
    int doubled = x * 2;
    return doubled + moved + array.at(1);
  };
  struct Nearby {
    int go(int n) { return n + 1; }
  } nearby;
  try {
    if (name.empty()) throw 42;
  } catch (int caught) {
    return caught;
  }
  return lambda(shape->area()) + nearby.go((int)name.size());
}

int overloaded(int x) { return x; }
int overloaded(double x) { return (int)x; }

int main() {
  outer::inner::Shape shape(5);
  outer::inner::Shape &alias = shape;
  int result = takes(text, 7, triple, &shape) + hidden(local.value) + outer::versioned(1);
  result += alias.scale(2) + (int)alias.scale(0.5) + shape.inside.twice() + outer::inner::Shape::count();
  result += largest(3, 4) + (int)largest(1.5, 2.5) + triple(2) + (triple < triple) + overloaded(1) + overloaded(2.0);
  std::printf("%d\n", result + outer::counter + outer::inner::counter + (shape.*method_pointer)());
  return 0;
}
