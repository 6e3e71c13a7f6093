// Driver of a fuzz target where libFuzzer is missing. A seeded generator makes the inputs: the n-th
// is always the same. An input that fails is printed.
//   TARGET [N [SEED]]     runs N inputs
//   TARGET hex HEX        runs one input again
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Inputs are many and small: what is remembered of each allocation would take most of the time.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=3:quarantine_size_mb=16";
}

namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kSecondsAtMost = 120;  // of the processor for kBetweenAlarms inputs, or it is endless
constexpr uint64_t kBetweenAlarms = 1024;

Bytes current;
uint64_t current_number = 0;

void show_input() {
  std::fprintf(stderr, "input %llu, run it again with: hex ", (unsigned long long)current_number);
  for (const uint8_t b : current) std::fprintf(stderr, "%02x", b);
  std::fprintf(stderr, "\n");
}

void on_signal(int number) {
  signal(SIGABRT, SIG_DFL);
  if (number == SIGPROF) std::fprintf(stderr, "no end after %d s\n", kSecondsAtMost);
  show_input();
  std::abort();
}

// The processor's time, not the clock's: a process that is paused, or waits for a busy machine, is
// no endless loop.
void set_alarm() {
  const itimerval limit = {{0, 0}, {kSecondsAtMost, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

int digit(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

Bytes from_hex(const std::string& hex) {
  Bytes out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(uint8_t(digit(hex[i]) << 4 | digit(hex[i + 1])));
  return out;
}

// The snippets are a libFuzzer dictionary: "..." with \xNN, \" and \\, one a line.
std::vector<Bytes> read_snippets(const char* path) {
  std::vector<Bytes> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] != '"') continue;
    Bytes snippet;
    for (size_t i = 1; i + 1 < line.size(); ++i) {
      if (line[i] != '\\') {
        snippet.push_back(uint8_t(line[i]));
      } else if (line[++i] == 'x') {
        snippet.push_back(from_hex(line.substr(i + 1, 2))[0]);
        i += 2;
      } else {
        snippet.push_back(uint8_t(line[i]));
      }
    }
    out.push_back(snippet);
  }
  if (out.empty()) {
    std::fprintf(stderr, "no snippets in %s\n", path);
    std::exit(2);
  }
  return out;
}

class Generator {
 public:
  Generator(uint64_t seed, std::vector<Bytes> snippets)
      : seed_(seed), snippets_(std::move(snippets)) {}

  // Some bytes for the target's choices, then a text.
  void make(uint64_t number, Bytes& out) {
    state_ = seed_ * 0x9E3779B97F4A7C15ULL + number;
    out.clear();
    for (int i = 0; i < 16; ++i) out.push_back(uint8_t(next()));
    const size_t size = out.size() + length();
    const uint32_t kind = below(8);
    while (out.size() < size) append(kind, out);
    out.resize(size);
    if (flip()) mutate(out);
  }

 private:
  uint64_t next() {  // splitmix64
    uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }
  uint32_t below(size_t n) { return uint32_t(next() >> 32) % uint32_t(n); }
  bool flip() { return next() >> 63; }

  // Mostly short, often next to the sizes where the kernel's code takes another way: a word's slot,
  // a vector, a block of tokens.
  size_t length() {
    static constexpr size_t kEdges[] = {8, 16, 64, 128, 256, 1024};
    const uint32_t kind = below(256);
    if (kind == 0) return 1024 + below(3072);
    if (kind < 12) return kEdges[4 + below(2)] + below(3) - 1;
    if (kind < 96) return kEdges[below(4)] + below(3) - 1;
    return below(kind < 176 ? 24 : 160);
  }

  void append(uint32_t kind, Bytes& out) {
    switch (kind) {
      case 0:
        out.push_back(uint8_t(next()));
        return;
      case 1:
        out.push_back(uint8_t(' ' + below(95)));
        return;
      case 2:
        append_code_point(out);
        return;
      case 3:
        append_words(out);
        return;
      default:
        append_snippet(out);
    }
  }
  void append_code_point(Bytes& out) {
    static constexpr uint32_t kEnds[] = {0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000};
    const uint32_t c = below(kEnds[below(6)]);
    if (c < 0x80) {
      out.push_back(uint8_t(c));
      return;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out.push_back(uint8_t((0xF00 >> more) | c >> 6 * more));
    for (int i = more; i-- > 0;) out.push_back(uint8_t(0x80 | (c >> 6 * i & 0x3F)));
  }
  // Many short words: blocks of tokens, n-grams across their edges.
  void append_words(Bytes& out) {
    for (uint32_t n = 1 + below(40); n-- > 0;) {
      out.push_back(uint8_t('a' + below(3)));
      if (below(4)) out.push_back(uint8_t(below(20) ? ' ' : '\''));
    }
  }
  void append_snippet(Bytes& out) {
    const Bytes& snippet = snippets_[below(snippets_.size())];
    for (uint32_t times = below(16) ? 1 : 1 + below(70); times-- > 0;)
      out.insert(out.end(), snippet.begin(), snippet.end());
    if (below(4) == 0) out.push_back(' ');
  }

  void mutate(Bytes& out) {
    for (uint32_t times = 1 + below(4); times-- > 0 && !out.empty();) {
      const auto at = out.begin() + below(out.size());
      switch (below(4)) {
        case 0:
          *at = uint8_t(next());
          break;
        case 1:
          *at = uint8_t(*at ^ 1 << below(8));
          break;
        case 2:
          out.erase(at);
          break;
        default:
          out.insert(at, uint8_t(next()));
      }
    }
  }

  uint64_t seed_, state_ = 0;
  std::vector<Bytes> snippets_;
};

}  // namespace

int main(int argc, char** argv) {
  const char* const slash = std::strrchr(argv[0], '/');
  const char* const name = slash ? slash + 1 : argv[0];
  __sanitizer_set_death_callback(show_input);
  signal(SIGABRT, on_signal);
  signal(SIGPROF, on_signal);
  if (argc == 3 && !std::strcmp(argv[1], "hex")) {
    current = from_hex(argv[2]);
    return LLVMFuzzerTestOneInput(current.data(), current.size());
  }
  const uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Generator generator(seed, read_snippets(SNIPPETS));
  const bool terminal = isatty(STDERR_FILENO);
  const auto start = std::chrono::steady_clock::now();
  for (current_number = 0; current_number < n; ++current_number) {
    if (current_number % kBetweenAlarms == 0) {
      set_alarm();
      if (terminal) std::fprintf(stderr, "\r%s: %llu", name, (unsigned long long)current_number);
    }
    generator.make(current_number, current);
    LLVMFuzzerTestOneInput(current.data(), current.size());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%s%s: %llu inputs, clean (%.0f s)\n", terminal ? "\r" : "", name,
              (unsigned long long)n, took.count());
}
