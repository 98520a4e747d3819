/** Through what C++ adds. */
import { c } from '../scenario.js';
import { cppFlow, NESTED } from './flow.js';
import type { Flow } from './flow.js';

export const CLASSES: readonly Flow[] = [
  cppFlow('classMember', c`@PROLOGUE@
class Owner {
public:
  Owner() : content() {
    Data data;
    @SOURCE@
    content = data;
  }
  virtual ~Owner() {}
  virtual void use() = 0;

protected:
  Data content;
};

class User : public Owner {
public:
  void use() override {
    Data data = content;
    @SINK@
  }
};

int main() {
  Owner *owner = new User;
  owner->use();
  delete owner;
  return 0;
}
`),
  cppFlow('vectorElement', c`#include <map>
#include <vector>
@PROLOGUE@
int main() {
  std::vector<Data> row;
  std::map<int, Data> byNumber;
  Data data;
  @SOURCE@
  row.push_back(data);
  for (int i = 0; i < 40; i++) row.push_back(0);
  byNumber[17] = row.front();
  byNumber[3] = 0;
  {
    Data data = byNumber[17];
    row.clear();
    byNumber.clear();
    @SINK@
  }
  return 0;
}
`, NESTED),
  cppFlow('destructor', c`@PROLOGUE@
struct Guard {
  explicit Guard(Data content) : content(content) {}
  ~Guard() noexcept(false) {
    Data data = content;
    @SINK@
  }
  Data content;
};

int main() {
  Data data;
  @SOURCE@
  {
    Guard guard(data);
  }
  return 0;
}
`, NESTED),
  cppFlow('exception', c`@PROLOGUE@
struct Thrown { Data content; };

static void raiseIt(int depth, Data data) {
  if (depth == 0) throw Thrown { data };
  raiseIt(depth - 1, data);
}

int main() {
  Data data;
  @SOURCE@
  try {
    raiseIt(3, data);
  } catch (const Thrown &thrown) {
    Data data = thrown.content;
    @SINK@
  }
  return 0;
}
`, NESTED),
  cppFlow('lambda', c`#include <functional>
@PROLOGUE@
int main() {
  Data data;
  @SOURCE@
  std::function<void()> later = [data]() mutable {
    @SINK@
  };
  later();
  return 0;
}
`, NESTED),
];
