// How the ranks of several processes learn that one failed, ended or does not come.
#include <algorithm>

#include "comm/agreement.h"
#include "comm/c10d/process_world.h"

namespace vescale::comm {
namespace {

constexpr std::chrono::milliseconds answer_time{1000};  // for a thread that has nothing else to do
constexpr std::chrono::duration<double> longest_linger{3};
constexpr std::chrono::hours long_time{24};
const char* const failure_key = "failure";
const char* const died = "ended without saying why; it may have crashed or been killed";

std::string key(const char* name, std::int64_t rank) { return std::string(name) + "/" + std::to_string(rank); }

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    const std::string text = known.what();
    return text.substr(0, text.find("\nException raised from"));  // LibTorch's backtrace
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

// Looks for a failure each time that it is woken, and answers where this rank waits.
void ProcessWorld::watch() {
  for (std::int64_t index = 0;; ++index) {
    const std::string suffix = "/" + std::to_string(index);
    try {
      watch_store_->wait({key("wake", rank_) + suffix}, long_time);
      if (leaving_) return;
      look_for_failure(*watch_store_);
      watch_store_->set(key("answer", rank_) + suffix, answer());
    } catch (const std::exception&) {
      if (leaving_) return;
      return note_failure(0, died);  // the server is gone, and rank 0 with it
    }
  }
}

void ProcessWorld::stop_watching() {
  if (!watcher_.joinable()) return;
  leaving_ = true;
  try {
    wake(rank_);
  } catch (const std::exception&) {  // no server: the watcher has seen that too
  }
  watcher_.join();
}

void ProcessWorld::wake(std::int64_t rank) {
  const std::int64_t index = store_->add(key("asked", rank), 1) - 1;
  store_->set(key("wake", rank) + "/" + std::to_string(index), std::string("1"));
}

std::string ProcessWorld::ask(std::int64_t rank) {
  const std::string name = "rank " + std::to_string(rank);
  try {
    if (store_->check({key("ended", rank)})) return name + " has returned from its program";
    const std::int64_t index = store_->add(key("asked", rank), 1) - 1;
    const std::string suffix = "/" + std::to_string(index);
    store_->set(key("wake", rank) + suffix, std::string("1"));
    store_->wait({key("answer", rank) + suffix}, answer_time);
    return name + " " + store_->get_to_str(key("answer", rank) + suffix);
  } catch (const std::exception&) {
    return name + " does not answer";
  }
}

std::string ProcessWorld::answer() const {
  const std::lock_guard lock(mutex_);
  return waiting_.group == nullptr ? "is not in any collective"
                                   : "waits in " + describe_place(waiting_.call, *waiting_.group);
}

bool ProcessWorld::look_for_failure(c10d::Store& store) {
  if (!store.check({failure_key})) return false;
  const std::string record = store.get_to_str(failure_key);
  const std::size_t end = record.find('\n');
  note_failure(std::stoll(record.substr(0, end)), record.substr(end + 1));
  return true;
}

void ProcessWorld::note_failure(std::int64_t rank, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (failure_ == nullptr) {
    failed_rank_ = rank;
    failure_ = std::make_exception_ptr(Error(message));
    failure_message_ = message;
  }
  stopped_ = true;
  if (waiting_.transfers == nullptr) return;
  for (const Transfer& transfer : *waiting_.transfers) {
    if (transfer.work != nullptr) transfer.work->abort();
  }
}

void ProcessWorld::fail(std::int64_t rank, std::exception_ptr error) {
  const std::string message = message_of(error);
  try {
    // The first one wins.
    const std::string record = std::to_string(rank) + "\n" + message;
    const std::string winner = store_->compareSet(failure_key, "", record);
    if (winner == record) {
      const std::lock_guard lock(mutex_);
      if (failure_ == nullptr) {
        failed_rank_ = rank;
        failure_ = error;
        failure_message_ = message;
      }
      stopped_ = true;
    } else {
      look_for_failure(*store_);
    }
    for (std::int64_t other = 0; other < num_ranks_; ++other) {
      if (other != rank_) wake(other);
    }
  } catch (const std::exception&) {
    note_failure(0, died);
  }
}

void ProcessWorld::leave_failed() {
  try {
    store_->set(key("ended", rank_), std::string("1"));
    wait_for_others_to_end();
  } catch (const std::exception&) {  // the server is gone
  }
}

void ProcessWorld::end(std::int64_t rank) {
  flush();
  try {
    stop_watching();
    store_->set(key("ended", rank), std::string("1"));
    wait_for_others_to_end();
    look_for_failure(*store_);
  } catch (const std::exception&) {  // the server has ended early; this rank's work is done
  }
}

// The store must not go while a rank may need it, be it to learn why it has to stop.
void ProcessWorld::wait_for_others_to_end() {
  if (!has_server_) return;
  const std::chrono::duration<double> time = stopped_ ? std::min(longest_linger, timeout_) : timeout_;
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (std::int64_t other = 0; other < num_ranks_; ++other) {
    if (other == failed_rank_) continue;  // it may be dead
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    try {
      store_->wait({key("ended", other)}, std::max(left, std::chrono::milliseconds(1)));
    } catch (const std::exception&) {
    }
  }
}

std::pair<std::int64_t, std::exception_ptr> ProcessWorld::first_failure() const {
  const std::lock_guard lock(mutex_);
  return {failed_rank_, failure_};
}

void ProcessWorld::fail_stopped(const CollectiveCall& call, const Group& group) {
  const std::lock_guard lock(mutex_);
  waiting_ = {};
  throw StoppedError("stopped in " + describe_place(call, group) + " because rank " +
                     std::to_string(failed_rank_) + " failed: " + failure_message_);
}

// The connection to `peer` is closed: it failed, ended, or died.
void ProcessWorld::fail_lost(std::int64_t peer, const CollectiveCall& call, const Group& group) {
  try {
    const auto deadline = std::chrono::steady_clock::now() + answer_time;
    while (!look_for_failure(*store_)) {
      if (store_->check({key("ended", peer)})) {
        fail_here(describe_place(call, group) + " cannot complete: rank " + std::to_string(peer) +
                  " has returned from its program");
      }
      if (std::chrono::steady_clock::now() > deadline) {
        fail(peer, std::make_exception_ptr(Error(died)));
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    note_failure(0, died);
  }
  fail_stopped(call, group);
}

void ProcessWorld::fail_timeout(const std::vector<std::int64_t>& missing, const CollectiveCall& call,
                                const Group& group) {
  std::string message = describe_timeout(call, group, timeout_.count());
  const char* separator = " ";
  for (std::int64_t rank : missing) {
    message += separator + ask(rank);
    separator = "; ";
  }
  if (stopped_) fail_stopped(call, group);  // another rank was first to say so
  fail_here(message);
}

// The group is unusable from here on, so all ranks stop even if this one's program handles the error.
void ProcessWorld::fail_here(const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = {};
  }
  const Error error(message);
  fail(rank_, std::make_exception_ptr(error));
  throw error;
}

}  // namespace vescale::comm
