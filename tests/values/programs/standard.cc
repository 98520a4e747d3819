#include <stdlib.h>
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <initializer_list>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct Point {
  int x, y;
};
struct Empty {};
struct Node {
  std::string name;
  std::vector<std::shared_ptr<Node>> children;
  std::map<std::string, int> weights;
};

static int use(const std::string &text, const std::map<int, Point> &points, std::vector<int>::iterator position) {
  return text.size() + points.size() + *position;
}

int main() {
  std::string text = "some text", none;
  std::string longer(300, 'x');
  std::wstring wide = L"wide";
  std::string_view view(text.data() + 5, 4);
  std::vector<int> numbers{1, 2, 3, 4};
  std::vector<bool> bits{true, false, true};
  std::vector<Point> places{{1, 2}, {3, 4}};
  std::vector<std::string> words{"one", "two"};
  std::vector<int> nothing;
  std::array<int, 3> fixed{7, 8, 9};
  std::deque<int> ends{5, 6};
  ends.push_front(4);
  std::deque<int> many(500, 3);
  std::list<int> chain{10, 20, 30};
  std::list<std::string> texts{"a", "b"};
  std::forward_list<int> forward{1, 2};
  std::map<int, Point> points{{1, {2, 3}}, {4, {5, 6}}};
  std::map<std::string, int> counts{{"first", 1}, {"second", 2}};
  std::multimap<int, int> several{{1, 1}, {1, 2}};
  std::map<int, int> noEntries;
  std::map<std::string, std::vector<int>> lists{{"odd", {1, 3}}, {"even", {2}}};
  std::set<int> sorted{3, 1, 2};
  std::multiset<char> letters{'b', 'a', 'b'};
  std::set<std::string> names{"x"};
  std::unordered_map<int, std::string> table{{1, "uno"}};
  std::unordered_set<int> hashed{42};
  std::unordered_multimap<int, int> hashedSeveral{{1, 2}};
  std::unordered_multiset<int> hashedLetters;
  std::stack<int> pile({1, 2});
  std::queue<int> line({3, 4});
  std::priority_queue<int> urgent;
  urgent.push(5);
  std::pair<int, std::string> both{1, "pair"};
  std::tuple<int, std::string, double> three{1, "tuple", 2.5};
  std::tuple<> noParts;
  std::optional<int> maybe = 5, nope;
  std::optional<std::string> maybeText = "yes";
  std::variant<int, std::string> either = 3, other = "text";
  std::any anything = 5, anyText = std::string("any"), nothingAtAll;
  std::unique_ptr<int> own(new int(6)), nobody;
  std::unique_ptr<Point> ownPoint(new Point{1, 2});
  std::unique_ptr<int[]> array(new int[3]{1, 2, 3});
  std::shared_ptr<int> shared(new int(7)), also = shared, empty;
  std::shared_ptr<Point> made = std::make_shared<Point>(Point{8, 9});
  std::weak_ptr<int> weak = shared;
  std::bitset<20> flags(0b1010);
  std::atomic<int> counter{11};
  auto position = numbers.begin() + 1;
  auto inMap = points.begin();
  auto inSet = sorted.begin();
  auto inList = chain.begin();
  auto inDeque = ends.begin();
  auto inTable = table.begin();
  Node root{"root", {}, {{"w", 1}}};
  root.children.push_back(std::make_shared<Node>(Node{"child", {}, {}}));
  std::vector<std::vector<int>> grid{{1, 2}, {3}};
  std::vector<std::pair<int, char>> pairs{{1, 'a'}, {2, 'b'}};
  std::vector<std::unique_ptr<int>> owned;
  owned.push_back(std::make_unique<int>(1));
  std::optional<std::vector<int>> maybeNumbers = numbers;
  std::optional<Point> maybePoint = Point{1, 2};
  std::variant<std::vector<int>, std::string, Point> numbersOr = numbers, pointOr = Point{3, 4};
  std::unique_ptr<std::vector<std::string>> ownWords(new std::vector<std::string>{"a"});
  std::shared_ptr<const Point> sharedPoint = made;
  std::weak_ptr<int> expired = std::make_shared<int>(1);
  std::any anyPoint = Point{5, 6};
  std::map<int, int> big;
  for (int i = 0; i < 150; i++) big[i] = i * i;
  std::set<int> bigSet;
  for (int i = 0; i < 250; i++) bigSet.insert(i);
  std::vector<bool> manyBits(250, true);
  std::list<int> emptyChain;
  std::forward_list<int> emptyForward;
  std::map<int, std::map<int, Point>> nested{{1, {{2, {3, 4}}}}};
  std::map<Point *, std::string> byPointer{{nullptr, "null"}};
  std::vector<int>::const_iterator nowhere;
  std::bitset<200> wideFlags;
  wideFlags.set(3).set(150);
  std::bitset<5> noFlags;
  std::atomic<Point *> atomicPointer{nullptr};
  std::atomic<bool> atomicBool{true};
  std::initializer_list<int> initial{1, 2, 3};
  std::tuple<std::string, std::tuple<int, int>> inner{"x", {1, 2}};
  std::deque<std::string> longElements{"a", "b"};
  std::map<char, long double> padded{{'c', 1.5L}};
  std::forward_list<long double> paddedForward{2.5L};
  std::unordered_map<std::string, std::vector<int>> tableOfLists{{"k", {1, 2}}};
  std::string *pointer = &text;
  std::vector<int> &reference = numbers;
  Empty nil;
  std::vector<Empty> empties(2);
  return use(text, points, position) + own.get()[0] + *array.get() - *pointer->begin() - reference[0] + flags.count() + view.size();
}
