// Objects: constructors, references, virtual functions, the library's containers.
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Shape {
  int *data;
  explicit Shape(int *given) : data(given) {}
  virtual int *get() const { return data; }
  virtual ~Shape() = default;
};

struct Square : Shape {
  int side;
  Square(int *given, int length) : Shape(given), side(length) {}
  int *get() const override { return data; }
};

static void assign(int *&target, int *source) {
  target = source;
}

int main() {
  int *first = new int(4);
  Square square(first, 2);
  Square copy = square;
  const Shape &base = copy;
  int *got = base.get();
  int *target = nullptr;
  assign(target, got);
  std::vector<int *> list;
  list.push_back(target);
  list.push_back(nullptr);
  list.push_back(nullptr);
  int *element = list[0];
  std::unique_ptr<int> owner(element);
  int *other = new int(5);
  std::swap(element, other);
  int *last = other;
  owner.release();
  return *last == 3; // MARK: end
}
