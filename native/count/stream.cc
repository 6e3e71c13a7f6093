// The queue of a stream, and the threads that take from it.
#include "count/stream.h"

#include <algorithm>

namespace nabi {

CountStream::CountStream(const Recipe& recipe, unsigned threads)
    : workers_(recipe, std::max(1u, threads), when_pairs(recipe, UINT64_MAX, false), true) {
  if (threads < 2) return;
  try {
    for (unsigned t = 0; t < threads; ++t) threads_.emplace_back([this, t] { work(t); });
  } catch (const std::system_error&) {
    // No more threads to be had: those that there are do the work, or else the caller.
  }
}

CountStream::~CountStream() { stop(true); }

void CountStream::work(unsigned t) {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return ended_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task& task = *tasks_.front();
    ++task.users;
    lock.unlock();
    std::exception_ptr error;
    try {
      workers_.count(t, task);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --task.users;
    if (error && !error_) error_ = error;
    if (!tasks_.empty() && tasks_.front() == &task) {  // all of its pieces are taken
      waiting_ -= task.bytes;
      tasks_.pop_front();
    }
    if (error_) {
      tasks_.clear();
      ended_ = true;
      work_.notify_all();
    }
    room_.notify_all();
  }
}

void CountStream::push(Task& task) {
  workers_.admit(task);
  if (threads_.empty()) return workers_.count(0, task);
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return error_ || tasks_.empty() || waiting_ + task.bytes <= kAhead; });
  if (error_) std::rethrow_exception(error_);
  tasks_.push_back(&task);
  waiting_ += task.bytes;
  work_.notify_all();
}

bool CountStream::is_done(const Task& task) const {
  if (threads_.empty()) return true;
  const std::lock_guard lock(mutex_);
  return !task.users && std::find(tasks_.begin(), tasks_.end(), &task) == tasks_.end();
}

void CountStream::stop(bool abandon) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (abandon) tasks_.clear();
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

Counted CountStream::finish() {
  stop(false);
  if (error_) std::rethrow_exception(error_);
  return workers_.finish();
}

}  // namespace nabi
