// Positions of features, from bytes of the tape to code points of the text.
#include "vocabulary/trace.h"

#include "vocabulary/extractor.h"

namespace nabi {
namespace {

struct Occurrence {
  Space space;
  u32 id;
  u32 begin, end;  // bytes of the text
};

// Tape positions are turned into text positions at once: the tape is written anew for characters.
class TraceSink {
 public:
  static constexpr bool kTraces = true, kStreams = false;
  const Tape* tape = nullptr;
  std::vector<Occurrence> seen;

  void at(u32 begin, u32 end) {
    begin_ = tape->origin[begin].first;
    last_ = tape->origin[end - 1].last;
  }
  template <Space kSpace>
  void prefetch(u32) {}
  template <Space kSpace>
  void add(u32 id) {
    seen.push_back({kSpace, id, begin_, last_});
  }

 private:
  u32 begin_ = 0, last_ = 0;
};

}  // namespace

Traced trace(const Text& text, const Recipe& recipe, const Stems* stems) {
  Traced out{Vocabulary(recipe), {}, {}, {}};
  TraceSink sink;
  Extractor<true, TraceSink> extractor(out.vocabulary, sink, stems);
  sink.tape = &extractor.tape();
  TextReader reader;
  const Utf8 utf8 = reader.read(text);
  extractor.run(utf8);

  // code_points[i]: how many code points begin before byte i.
  std::vector<u64> code_points(utf8.size + 1);
  for (size_t i = 0; i < utf8.size; ++i)
    code_points[i + 1] = code_points[i] + ((utf8.data[i] & 0xC0) != 0x80);
  u64 base[kSpaces] = {};
  for (int s = 1; s < kSpaces; ++s) base[s] = base[s - 1] + out.vocabulary.size(Space(s - 1));
  for (const Occurrence& o : sink.seen) {
    out.features.push_back(u32(base[o.space] + o.id));
    out.begin.push_back(code_points[o.begin]);
    out.end.push_back(code_points[o.end + 1]);
  }
  return out;
}

}  // namespace nabi
