// The kernel as WebAssembly: one model, which classifies and explains texts. Its caller writes
// bytes to room() and hands over their number. Numbers of a model are checked before they are used.
#include <cmath>
#include <new>
#include <string_view>

#include "score/scorer.h"
#include "vocabulary/trace.h"

#define NABI_EXPORT(name) extern "C" __attribute__((export_name(name)))

namespace nabi {
namespace {

// A feature of a text, each time that it comes.
struct Found {
  u32 begin, end;  // in code points
  u32 is_known;
  u32 name, name_size;  // where its name is
  u32 unused;
  double evidence;
};

// Reads numbers and arrays, and stops at the first that does not fit.
class Bytes {
 public:
  Bytes(const u8* p, size_t size) : p_(p), left_(size) {}
  bool sound() const { return sound_; }
  bool ended() const { return sound_ && left_ == 0; }

  u32 number() {
    u32 value = 0;
    copy(&value, sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> array(size_t n) {
    std::vector<T> values(sound_ && n <= left_ / sizeof(T) ? n : (sound_ = false, 0));
    copy(values.data(), values.size() * sizeof(T));
    return values;
  }
  // Numbers of one, two or four bytes, each below `end`.
  std::vector<u32> indexes(size_t n, u32 width, u64 end) {
    const std::vector<u8> bytes =
        array<u8>(width - 1 < 4 && n <= left_ / width ? n * width : ~size_t{0});
    std::vector<u32> values(sound_ ? n : 0);
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&values[i], &bytes[i * width], width);
      sound_ = sound_ && values[i] < end;
    }
    return values;
  }
  // Finite numbers, or -infinity where it is allowed.
  std::vector<double> reals(size_t n, bool impossible = false) {
    std::vector<double> values = array<double>(n);
    for (const double x : values)
      sound_ = sound_ && (std::isfinite(x) || (impossible && std::isinf(x) && x < 0));
    return values;
  }
  // Ascending offsets from 0 to `end`.
  std::vector<u32> offsets(size_t n, u32 end) {
    std::vector<u32> values = array<u32>(n + 1);
    sound_ = sound_ && values.front() == 0 && values.back() == end;
    for (size_t i = 0; sound_ && i < n; ++i) sound_ = values[i] <= values[i + 1];
    return values;
  }
  void expect(bool holds) { sound_ = sound_ && holds; }

 private:
  void copy(void* to, size_t n) {
    if (!sound_ || n > left_) {
      sound_ = false;
      return;
    }
    if (n) std::memcpy(to, p_, n);
    p_ += n;
    left_ -= n;
  }
  const u8* p_;
  size_t left_;
  bool sound_ = true;
};

// CRC-32, as zlib has it.
u32 checksum(const u8* p, size_t n) {
  u32 crc = ~u32{0};
  for (size_t i = 0; i < n; ++i) {
    crc ^= p[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

Recipe read_recipe(Bytes& in) {
  Recipe recipe;
  const u32 preset = in.number();
  in.expect(preset <= u32(Preset::kChars));
  recipe.preset = Preset(preset);
  for (u32* each : {&recipe.word_lo, &recipe.word_hi, &recipe.char_lo, &recipe.char_hi,
                    &recipe.unspaced_lo, &recipe.unspaced_hi})
    *each = in.number();
  const auto range = [&](u32 low, u32 high, u32 most) {
    in.expect((low == 0 && high == 0) || (1 <= low && low <= high && high <= most));
  };
  range(recipe.word_lo, recipe.word_hi, kMostOrder);
  range(recipe.char_lo, recipe.char_hi, 64);
  range(recipe.unspaced_lo, recipe.unspaced_hi, kMostUnspaced);
  const u32 flags = in.number();
  in.expect(flags < 32);
  recipe.lowercase = flags & 1;
  recipe.binary = flags & 2;
  recipe.negation = flags & 4;
  recipe.strip_accents = flags & 8;
  recipe.only_hangul = flags & 16;
  recipe.buckets = in.number();
  in.expect(recipe.buckets < u64{1} << 31);
  const u32 stops = in.number(), bytes = in.number();
  const std::vector<u32> ends = in.offsets(stops, bytes);
  const std::vector<u8> words = in.array<u8>(bytes);
  for (u32 i = 0; in.sound() && i < stops; ++i) {
    in.expect(valid_until(&words[ends[i]], &words[ends[i]] + (ends[i + 1] - ends[i])) ==
              &words[ends[i]] + (ends[i + 1] - ends[i]));
    recipe.stop_words.emplace_back(words.begin() + ends[i], words.begin() + ends[i + 1]);
  }
  return recipe;
}

class Model {
 public:
  // Null where the bytes are no sound model.
  static std::unique_ptr<Model> read(Bytes& in) {
    const Recipe recipe = read_recipe(in);
    if (!in.sound()) return nullptr;
    auto model = std::make_unique<Model>(recipe);
    if (!model->read_weights(in)) return nullptr;
    model->scorer_ = std::make_unique<Scorer>(model->vocabulary_, model->weights_);
    return model;
  }
  explicit Model(const Recipe& recipe) : vocabulary_(recipe) {}

  size_t classes() const { return weights_.bias.size(); }

  u32 classify(const Texts& texts, double* scores, double* length) const {
    const std::vector<double> none(classes(), 0.0);
    scorer_->joint(texts, none, 1, scores, length);
    u32 best = 0;
    for (u32 c = 1; c < classes(); ++c)
      if (scores[c] > scores[best]) best = c;
    return best;
  }

  // Returns the features of a text with their evidence for one class against another.
  void explain(const Text& text, u32 of, u32 against, std::vector<Found>& found,
               std::vector<u8>& names) const {
    const Traced traced = trace(text, vocabulary_.recipe);
    const Vocabulary::Names own = traced.vocabulary.names();
    names = own.bytes;
    found.clear();
    for (size_t i = 0; i < traced.features.size(); ++i) {
      const u32 f = traced.features[i];
      const u32 begin = u32(own.offsets[f]), size = u32(own.offsets[f + 1]) - begin;
      const u32 feature = index({own.bytes.data() + begin, size});
      const bool known = feature != kNone && weights_.known[feature];
      const double evidence = known ? weight(feature, of) - weight(feature, against) : 0;
      found.push_back({u32(traced.begin[i]), u32(traced.end[i]), known, begin, size, 0, evidence});
    }
  }

 private:
  bool read_weights(Bytes& in) {
    const u32 classes = in.number(), features = in.number(), cells = in.number();
    const u32 values = in.number(), names = in.number(), code_width = in.number();
    const u32 class_width = in.number(), shares = in.number();
    in.expect(classes > 0 && shares < 2);
    std::vector<double> start = in.reals(classes, true);
    std::vector<double> slope = in.reals(classes);
    const std::vector<double> shared = in.reals(shares ? features : 0);
    const std::vector<double> value = in.reals(values);
    const std::vector<u32> cell_offsets = in.offsets(features, cells);
    const std::vector<u32> name_offsets = in.offsets(features, names);
    const std::vector<u32> code = in.indexes(cells, code_width, values);
    const std::vector<u32> cell_class = in.indexes(cells, class_width, classes);
    const std::vector<u8> name = in.array<u8>(names);
    if (!in.ended()) return false;

    std::vector<Vocabulary::FeatureId> ids;
    for (u32 f = 0; f < features; ++f) {
      const u8* const p = name.data() + name_offsets[f];
      const u32 size = name_offsets[f + 1] - name_offsets[f];
      if (valid_until(p, p + size) != p + size) return false;
      ids.push_back(vocabulary_.intern({p, size}));
      if (ids.back().id == kNone) return false;
    }
    // Words of n-grams have ids too, without weights.
    std::vector<u32> row(vocabulary_.size(), kNone);
    for (u32 f = 0; f < features; ++f) {
      const size_t at = place(ids[f]);
      if (row[at] != kNone) return false;
      row[at] = f;
    }
    Weights& w = weights_;
    w.bias = std::move(start);
    w.slope = std::move(slope);
    w.offsets.push_back(0);
    for (const u32 f : row) {
      w.known.push_back(f != kNone);
      if (shares) w.shared.push_back(f == kNone ? 0.0 : shared[f]);
      for (u32 i = f == kNone ? 0 : cell_offsets[f]; f != kNone && i < cell_offsets[f + 1]; ++i) {
        w.classes.push_back(cell_class[i]);
        w.cells.push_back(value[code[i]]);
      }
      w.offsets.push_back(w.cells.size());
    }
    return true;
  }

  size_t place(Vocabulary::FeatureId feature) const {
    size_t base = 0;
    for (int s = 0; s < feature.space; ++s) base += vocabulary_.size(Space(s));
    return base + feature.id;
  }
  u32 index(std::span<const u8> name) const {
    const Vocabulary::FeatureId found = vocabulary_.find(name);
    return found.id == kNone ? kNone : u32(place(found));
  }
  double weight(u32 feature, u32 c) const {
    double sum = weights_.slope[c] + (weights_.shared.empty() ? 0.0 : weights_.shared[feature]);
    for (u64 i = weights_.offsets[feature]; i < weights_.offsets[feature + 1]; ++i)
      if (weights_.classes[i] == c) sum += weights_.cells[i];
    return sum;
  }

  Vocabulary vocabulary_;
  Weights weights_;
  std::unique_ptr<Scorer> scorer_;
};

constexpr std::string_view kMagic = "nabi-web";
constexpr u32 kFormat = 1;

std::vector<u8> room;
std::unique_ptr<Model> model;
std::vector<double> scores;
std::vector<Found> found;
std::vector<u8> names;
double length;

Texts text_of(size_t size) { return {Text{room.data(), size, Text::kUtf8}}; }

const char* load(size_t size) {
  constexpr size_t kEnds = kMagic.size() + 4 + 4;
  if (size < kEnds || std::memcmp(room.data(), kMagic.data(), kMagic.size()) != 0)
    return "this is no exported model";
  u32 format, sum;
  std::memcpy(&format, &room[kMagic.size()], 4);
  std::memcpy(&sum, &room[size - 4], 4);
  if (format != kFormat) return "the model was exported by another version of nabi";
  if (checksum(room.data(), size - 4) != sum) return "the model is damaged: its checksum differs";
  Bytes in(room.data() + kEnds - 4, size - kEnds);
  model = Model::read(in);
  if (!model) return "the model is damaged: its numbers do not fit together";
  scores.resize(model->classes());
  return nullptr;
}

}  // namespace

// Room for bytes that the caller writes: a model or a text.
NABI_EXPORT("room") u8* web_room(u32 size) {
  room.resize(size_t{size} + kPadding);
  return room.data();
}
// Reads the model in the room. Returns null, or what is wrong.
NABI_EXPORT("load") const char* web_load(u32 size) {
  return size_t{size} + kPadding <= room.size() ? load(size) : "too little room";
}
NABI_EXPORT("classes") u32 web_classes() { return model ? u32(model->classes()) : 0; }
// Scores the UTF-8 text in the room. Returns the index of the best class.
NABI_EXPORT("classify") u32 web_classify(u32 size) {
  if (!model || size_t{size} + kPadding > room.size()) return kNone;
  return model->classify(text_of(size), scores.data(), &length);
}
// The log joint likelihood of each class, and the number of known features of that text.
NABI_EXPORT("scores") const double* web_scores() { return scores.data(); }
NABI_EXPORT("length") double web_length() { return length; }
// Finds the features of the text in the room, with their evidence. Returns how many.
NABI_EXPORT("explain") u32 web_explain(u32 size, u32 of, u32 against) {
  if (!model || size_t{size} + kPadding > room.size()) return 0;
  if (of >= model->classes() || against >= model->classes()) return 0;
  model->explain(text_of(size)[0], of, against, found, names);
  return u32(found.size());
}
NABI_EXPORT("found") const Found* web_found() { return found.data(); }
NABI_EXPORT("names") const u8* web_names() { return names.data(); }

}  // namespace nabi

// What throws ends the module: there is nothing to unwind to, and its caller says so.
extern "C" {
void* __cxa_allocate_exception(size_t) { __builtin_trap(); }
void __cxa_free_exception(void*) {}
[[noreturn]] void __cxa_throw(void*, void*, void (*)(void*)) { __builtin_trap(); }
}
