// C++ exceptions: unwinding through frames and destructors, rethrow, nesting, dynamic_cast, terminate.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>
struct Noisy { const char *name; explicit Noisy(const char *n) : name(n) { std::printf("+%s ", n); } ~Noisy() { std::printf("-%s ", name); } };
struct Base { virtual ~Base() = default; virtual const char *name() const { return "base"; } };
struct Left : virtual Base { const char *name() const override { return "left"; } };
struct Right : virtual Base { int r = 3; };
struct Both : Left, Right { const char *name() const override { return "both"; } };
static int descend(int n) { Noisy noisy(n % 2 ? "odd" : "even"); if (n == 0) throw std::runtime_error("bottom"); return descend(n - 1) + 1; }
static int quiet(int n) { std::string s(n % 50, 'x'); if (n == 0) throw 42; return quiet(n - 1) + static_cast<int>(s.size()); }
struct Throws { Noisy member{"member"}; Throws() { throw std::logic_error("constructor"); } };
int main(int argc, char **) {
    try { descend(4); } catch (const std::exception &e) { std::printf("caught %s\n", e.what()); }
    int caught = 0; for (int i = 0; i < 300; i++) try { quiet(i % 40); } catch (int x) { caught += x; } std::printf("%d\n", caught);
    try { try { throw std::out_of_range("inner"); } catch (...) { std::throw_with_nested(std::runtime_error("outer")); } } catch (const std::exception &e) { std::printf("%s", e.what()); try { std::rethrow_if_nested(e); } catch (const std::exception &n) { std::printf(" with %s\n", n.what()); } }
    try { Throws t; } catch (const std::logic_error &e) { std::printf("%s\n", e.what()); }
    Both both; Base *base = &both; std::printf("%s %d %d %s\n", base->name(), dynamic_cast<Right *>(base)->r, dynamic_cast<Left *>(base) != nullptr, typeid(*base).name());
    try { std::vector<int>(3).at(5); } catch (const std::out_of_range &) { std::puts("out of range"); } try { (void)dynamic_cast<Left &>(*static_cast<Base *>(new Right)); } catch (const std::bad_cast &) { std::puts("bad cast"); }
    try { volatile std::size_t huge = static_cast<std::size_t>(-1) / 4; char *volatile p = new char[huge]; (void)p; } catch (const std::bad_alloc &) { std::puts("bad alloc"); }
    std::exception_ptr kept; try { throw "text"; } catch (...) { kept = std::current_exception(); } try { std::rethrow_exception(kept); } catch (const char *s) { std::printf("%s %d\n", s, std::uncaught_exceptions()); }
    if (argc > 1) std::set_terminate([] { std::puts("terminating"); std::fflush(stdout); std::_Exit(3); }); std::fflush(stdout);
    throw std::runtime_error("nobody catches this");
}
