// Python class CountStream: counts batches while the next ones are read.
#include "count/stream.h"

#include <nanobind/stl/unique_ptr.h>

#include <deque>

#include "bindings/batch.h"
#include "bindings/table.h"

namespace nabi {
namespace {

// A stream, and the batches that it still needs.
class Counting {
 public:
  Counting(const Recipe& recipe, unsigned threads, Fingerprint kind)
      : kind_(kind), stream_(std::make_unique<CountStream>(recipe, threads)) {}
  ~Counting() {
    const Unlocked unlocked;
    stream_.reset();
  }

  void push(nb::object batch, In<u32> classes, u32 n_classes) {
    const Batch& given = nb::cast<const Batch&>(batch);
    check_classes(given, classes, n_classes);
    if (!stream_) throw std::invalid_argument("the stream has ended");
    Entry entry{std::move(batch), copy(classes), nullptr};
    const auto known = given.prints && given.prints_kind == kind_ ? given.prints : nullptr;
    {
      const Unlocked unlocked;
      entry.task = std::make_unique<Task>(given.texts, entry.classes, n_classes,
                                          std::span<const u64>{}, kind_);
      if (known) entry.task->take_fingerprints(*known);
      stream_->push(*entry.task);
    }
    entries_.push_back(std::move(entry));
  }

  // The fingerprints of the batch that came first of those that were not taken; None: it is not
  // counted yet, or there is none.
  nb::object take() {
    if (entries_.empty() || (stream_ && !stream_->is_done(*entries_.front().task)))
      return nb::none();
    Entry entry = std::move(entries_.front());
    entries_.pop_front();
    std::vector<u64> fingerprints = std::move(entry.task->fingerprints);
    if (!entry.task->has_fingerprints)
      nb::cast<const Batch&>(entry.batch).restore(kind_, fingerprints);
    return nb::cast(give(std::move(fingerprints)));
  }

  nb::tuple finish() {
    if (!stream_) throw std::invalid_argument("the stream has ended");
    std::unique_ptr<Counted> counted;
    std::unique_ptr<Table> table;
    {
      const Unlocked unlocked;
      counted = std::make_unique<Counted>(stream_->finish());
      stream_.reset();
      table = std::make_unique<Table>(std::move(counted->table));
    }
    return nb::make_tuple(nb::cast(std::move(table)), counted->missing, counted->repaired);
  }

 private:
  struct Entry {
    nb::object batch;  // whose texts the task reads
    std::vector<u32> classes;
    std::unique_ptr<Task> task;
  };
  const Fingerprint kind_;
  std::deque<Entry> entries_;
  std::unique_ptr<CountStream> stream_;
};

}  // namespace

void bind_stream(nb::module_& m) {
  nb::class_<Counting>(m, "CountStream")
      .def(nb::init<const Recipe&, unsigned, Fingerprint>(), "recipe"_a, "threads"_a,
           "fingerprint"_a)
      .def("push", &Counting::push, "batch"_a, "classes"_a, "n_classes"_a)
      .def("take", &Counting::take)
      .def("finish", &Counting::finish);
}

}  // namespace nabi
