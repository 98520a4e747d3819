#include <cstdio>
#include <string>

namespace outer {
int counter = 5;
enum Plain { PlainOne, PlainTwo };
enum class Scoped : unsigned char { Red = 1, Green, Blue };
namespace inner {
struct Point {
  int x, y;
  static int made;
  static const int limit = 10;
  int sum() const { return x + y; }
  Point operator+(const Point &o) const { return {x + o.x, y + o.y}; }
};
int Point::made = 3;
Point origin = {0, 0};
}
}

namespace { int hidden = 77; struct Secret { int s; } secret = {4}; }
static int fileStatic = 12;

class Empty {};
class Base {
 public:
  virtual ~Base() {}
  virtual int area() const { return 1; }
  int base = 10;
 protected:
  int guarded = 11;
 private:
  int own = 12;
};
class Other { public: virtual void other() {} long o = 20; };
class Derived : public Base, public Other {
 public:
  int area() const override { return derived; }
  int derived = 30;
  enum Kind { Small, Large } kind = Large;
  int look(int extra);
  static int population;
  static Derived *last;
};
int Derived::population = 2;
Derived *Derived::last = nullptr;
class VBase { public: int v = 1; virtual void f() {} };
class Left : public virtual VBase { public: int l = 2; };
class Right : public virtual VBase { public: int r = 3; };
class Diamond : public Left, public Right { public: int d = 4; };
struct NoOwn : outer::inner::Point {};
struct HasReference { int &ref; const int &cref; int value; };
template <typename T, int N> struct Array { T items[N]; T first() { return items[0]; } static int uses; };
template <typename T, int N> int Array<T, N>::uses = 9;
template <typename T> T twice(T value) { return value + value; }
union Either { int i; float f; };
struct WithBits { bool a : 1; unsigned b : 4; outer::Scoped c : 3; };

typedef int (Derived::*Method)(int);
typedef int Base::*Field;

int overloaded(int x) { return x; }
int overloaded(double x) { return (int)x; }
int freeFunction(const outer::inner::Point &point, int *pointer) {
  int local = point.x;
  return local + *pointer;
}

int Derived::look(int extra) {
  int mine = extra + derived;
  static int calls = 0;
  calls++;
  return mine + base + calls + population;
}

int main() {
  Derived derived;
  Base *base = &derived;
  Base &reference = derived;
  const Derived &cref = derived;
  Other *other = &derived;
  Diamond diamond;
  NoOwn noOwn;
  noOwn.x = 8; noOwn.y = 9;
  Empty empty;
  int number = 55;
  int *pointer = &number;
  int &alias = number;
  int &&temporary = 66;
  HasReference has = {number, number, 1};
  Array<int, 3> ints = {{1, 2, 3}};
  Array<outer::inner::Point, 2> points = {{{1, 2}, {3, 4}}};
  Method method = &Derived::look;
  Field field = &Base::base;
  Field nullField = nullptr;
  outer::Scoped scoped = outer::Scoped::Green;
  outer::Scoped strange = (outer::Scoped)9;
  outer::Plain plain = outer::PlainTwo;
  bool truth = true;
  char letter = 'q';
  char16_t c16 = u'z';
  char32_t c32 = U'y';
  wchar_t wide = L'w';
  std::string text = "standard";
  Either either; either.i = 7;
  WithBits bits = {true, 9, outer::Scoped::Blue};
  auto lambda = [&](int z) { return z + number; };
  void (*nothing)() = nullptr;
  int (*function)(int) = overloaded;
  decltype(nullptr) null = nullptr;
  Derived array[2];
  Derived::last = &derived;
  int result = derived.look(3) + lambda(2) + ints.first() + twice(4) + (int)twice(1.5) + overloaded(2.5);
  result += freeFunction(points.items[1], pointer) + outer::inner::origin.sum() + (derived.*method)(1) + derived.*field;
  result += base->area() + other->o + diamond.v + hidden + secret.s + fileStatic + alias + temporary + outer::counter + ints.uses;
  std::printf("%d\n", result);
  return 0;
}
