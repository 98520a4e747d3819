// The C++ library: containers, algorithms, strings, streams, smart pointers, iterators.
#include <algorithm>
#include <bitset>
#include <chrono>
#include <deque>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
struct Counted { static int alive; int v; explicit Counted(int x) : v(x) { alive++; } Counted(const Counted &o) : v(o.v) { alive++; } ~Counted() { alive--; } };
int Counted::alive = 0;
int main() {
    std::mt19937 random(7); std::vector<int> v(5000); std::generate(v.begin(), v.end(), [&] { return static_cast<int>(random() % 100000); });
    std::sort(v.begin(), v.end(), std::greater<>()); std::cout << v.front() << ' ' << v[2500] << ' ' << std::accumulate(v.begin(), v.end(), 0LL) << '\n';
    std::stable_partition(v.begin(), v.end(), [](int x) { return x % 2; }); std::nth_element(v.begin(), v.begin() + 100, v.end()); v.erase(std::unique(v.begin(), v.end()), v.end()); std::cout << v[100] << ' ' << v.size() << '\n';
    std::map<std::string, int> counts; std::istringstream words("the cat and the dog and the bird"); for (std::string w; words >> w;) counts[w]++; for (auto &[w, n] : counts) std::cout << w << '=' << n << ' ';
    std::unordered_map<int, std::string> hash; for (int i = 0; i < 2000; i++) hash[i * 7919] = std::to_string(i); long sum = 0; for (auto &[k, s] : hash) sum += k * static_cast<long>(s.size()); std::cout << sum << ' ' << hash.at(7919) << '\n';
    std::priority_queue<int> heap(v.begin(), v.begin() + 50); std::deque<int> deque{1, 2, 3}; deque.push_front(0); std::list<int> list(deque.begin(), deque.end()); list.reverse(); list.sort(); std::multiset<int> set(v.begin(), v.begin() + 200); std::cout << heap.top() << ' ' << deque[0] << list.front() << ' ' << *set.rbegin() << ' ' << std::bitset<12>(1234) << '\n';
    { std::vector<Counted> many; for (int i = 0; i < 100; i++) many.emplace_back(i); auto shared = std::make_shared<Counted>(5); auto copy = shared; std::unique_ptr<Counted> own(new Counted(6)); std::cout << Counted::alive << ' ' << shared.use_count() << ' '; } std::cout << Counted::alive << '\n';
    std::cout << std::hex << std::showbase << 255 << std::dec << ' ' << std::setw(8) << std::setfill('*') << 42 << ' ' << std::fixed << std::setprecision(3) << 3.14159 << ' ' << std::scientific << 12345.678 << ' ' << std::boolalpha << true << ' ' << std::quoted("q\"s") << std::defaultfloat << '\n';
    std::string text = "the quick brown fox"; std::cout << text.substr(4, 5) << text.find("fox") << text.rfind('o') << std::regex_replace(text, std::regex("(\\w+) (\\w+)"), "$2 $1") << ' ' << std::stod("2.5e3") + std::stoi("42") << '\n';
    std::variant<int, std::string> variant = std::string("held"); std::optional<int> none; std::visit([](auto &x) { std::cout << x << ' '; }, variant); std::cout << none.value_or(9) << ' ' << std::normal_distribution<double>()(random) << ' ' << std::uniform_int_distribution<int>(1, 6)(random) << '\n';
    std::function<int(int)> fib = [&](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }; std::cout << fib(15) << ' ' << (std::chrono::steady_clock::now().time_since_epoch().count() > 0) << std::endl;
    return 0;
}
