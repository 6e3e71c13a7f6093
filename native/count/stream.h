// CountStream: counts batches while the next ones are read. Its threads live as long as the stream.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "count/workers.h"

namespace nabi {

class CountStream {
 public:
  // With one thread there is no other than the caller's.
  CountStream(const Recipe& recipe, unsigned threads);
  // Leaves out what was not counted yet.
  ~CountStream();

  // Hands a task over, which must live until it is done. Waits while too many bytes are waiting.
  // Throws what went wrong with earlier tasks.
  void push(Task& task);
  // Whether a task is counted: its fingerprints are there, and its texts are not needed any more.
  bool is_done(const Task& task) const;
  // Waits for all tasks, and merges what was counted.
  Counted finish();

 private:
  static constexpr u64 kAhead = limit(size_t{16} << 20, 64);  // bytes that may wait

  void work(unsigned t);
  void stop(bool abandon);

  Workers workers_;
  mutable std::mutex mutex_;
  std::condition_variable work_, room_;
  std::deque<Task*> tasks_;  // with pieces to be taken
  u64 waiting_ = 0;          // bytes of these
  bool ended_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace nabi
