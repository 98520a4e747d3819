#include <map>
#include <memory>
#include <string>
#include <vector>

int main() {
  std::vector<int> numbers{1, 2, 3};
  std::map<std::string, std::vector<int>> lists{{"even", {2}}, {"odd", {1, 3}}};
  std::unique_ptr<std::string> own(new std::string("owned"));
  std::vector<int> *pointer = &numbers;
  return numbers.size() + lists.size() + own->size() + pointer->size() == 0;
}
