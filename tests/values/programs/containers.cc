#include <cstdio>
#include <string>
#include <vector>

struct Record { std::string name; std::vector<int> marks; int id; };

int main() {
  std::string text = "standard", empty, longer(250, 'x'), special = "a\tb\0c";
  std::wstring wide = L"wide";
  std::vector<int> numbers = {1, 2, 3}, none;
  std::vector<std::string> words = {"one", "two"};
  std::vector<std::vector<int>> nested = {{1}, {2, 3}};
  std::vector<char> letters = {'a', 'b'};
  std::vector<int> zeros(300);
  Record record = {"ann", {1, 2}, 7};
  std::string &alias = text;
  std::string *pointer = &text;
  std::printf("%zu\n", text.size() + numbers.size());
  return (int)(empty.size() + none.size() + words.size() + nested.size() + letters.size() + zeros.size() + record.id + alias.size() + pointer->size() + wide.size() + longer.size() + special.size());
}
