// Uses an iterator that is not valid any more: its class is in a namespace that begins with underscores.
#include <vector>

int main() {
  std::vector<int> numbers{1};
  auto it = numbers.begin();
  for (int i = 0; i < 9; i++) numbers.push_back(i);
  return *it;
}
