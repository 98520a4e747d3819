/* new and delete, of one and of many, through a base class and by the library's containers. */
#include <cstdio>
#include <map>
#include <string>

struct Base {
  virtual ~Base() {}
  long a = 1;
};
struct Derived : Base {
  std::string name = "a name that is too long to lie in the object itself";
};

int main() {
  for (int i = 0; i < 3; i++) {
    Base *one = i == 1 ? new Derived : new Base;
    int *numbers = new int[10 + i];
    delete one;
    delete[] numbers;
  }
  std::map<int, std::string> known;
  for (int i = 0; i < 6; i++) known[i % 4] = std::string(20 + i, 'x');
  known.erase(2);
  std::printf("%zu\n", known.size());
}
