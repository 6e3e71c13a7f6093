// A read-write lock that is free in the child of a fork, where the threads that held it are gone.
#pragma once

#include <pthread.h>

#include <mutex>
#include <new>
#include <shared_mutex>
#include <unordered_set>

namespace nabi {

class ForkMutex {
 public:
  ForkMutex() {
    const std::lock_guard lock(all().mutex);
    all().members.insert(this);
  }
  ~ForkMutex() {
    const std::lock_guard lock(all().mutex);
    all().members.erase(this);
  }
  ForkMutex(const ForkMutex&) = delete;

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }
  void lock_shared() { mutex_.lock_shared(); }
  bool try_lock_shared() { return mutex_.try_lock_shared(); }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  struct All {
    All() { pthread_atfork(before_fork, after_fork, in_child); }
    std::mutex mutex;
    std::unordered_set<ForkMutex*> members;
  };
  static All& all() {
    static All* const all = new All;  // never destroyed: threads may outlive the interpreter
    return *all;
  }
  static void before_fork() { all().mutex.lock(); }
  static void after_fork() { all().mutex.unlock(); }
  static void in_child() {
    for (ForkMutex* const each : all().members) new (&each->mutex_) std::shared_mutex;
    all().mutex.unlock();
  }
  std::shared_mutex mutex_;
};

}  // namespace nabi
