// How the ranks of several processes learn that one failed, ended or does not come.
#include <algorithm>
#include <future>

#include "comm/agreement.h"
#include "comm/c10d/process_world.h"
#include "comm/c10d/store.h"

namespace vescale::comm {
namespace {

constexpr std::chrono::milliseconds answer_time{1000};  // for a thread that has nothing else to do
constexpr std::chrono::milliseconds death_time{500};
constexpr std::chrono::duration<double> longest_linger{1};
const char* const has_returned = "has returned from its program";
constexpr std::chrono::hours long_time{24};
const char* const does_not_answer = "does not answer";
const char* const in_no_collective = "is not in any collective";
const char* const failure_key = "failure";
const char* const died = "ended without saying why; it may have crashed or been killed";

std::string key(const char* name, std::int64_t rank) {
  return std::string(name) + "/" + std::to_string(rank);
}

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

bool ProcessWorld::store_answers() {
  if (unreachable_) return false;
  std::packaged_task<void()> call([store = store_] { store->check({failure_key}); });
  std::future<void> answer = call.get_future();
  std::thread(std::move(call)).detach();
  if (answer.wait_for(answer_time) == std::future_status::ready) {
    try {
      answer.get();
      return true;
    } catch (const std::exception&) {
      return false;  // gone for good, so that calls fail but return
    }
  }
  unreachable_ = true;
  self_ = shared_from_this();
  return false;
}

void ProcessWorld::stop_watching() {
  if (!watcher_.joinable() || unreachable_) return;
  leaving_ = true;
  try {
    wake(rank_);
  } catch (const std::exception&) {  // no server: the watcher has seen that too
  }
  watcher_.join();
}

std::string ProcessWorld::wake(std::int64_t rank) {
  const std::string suffix = "/" + std::to_string(store_->add(key("asked", rank), 1) - 1);
  store_->set(key("wake", rank) + suffix, std::string("1"));
  return key("answer", rank) + suffix;
}

std::vector<std::string> ProcessWorld::ask_all() {
  std::vector<std::string> answers(static_cast<std::size_t>(num_ranks_));
  std::vector<std::string> keys(answers.size());
  const auto deadline = std::chrono::steady_clock::now() + answer_time;
  try {
    for (std::int64_t rank = 0; rank < num_ranks_; ++rank) {
      if (rank == rank_) continue;
      std::string& answer = answers[static_cast<std::size_t>(rank)];
      answer = does_not_answer;
      if (store_->check({key("ended", rank)})) {
        answer = has_returned;
      } else {
        keys[static_cast<std::size_t>(rank)] = wake(rank);
      }
    }
    for (std::size_t index = 0; index < keys.size(); ++index) {
      if (!keys[index].empty() && wait_for_key(*store_, keys[index], deadline))
        answers[index] = store_->get_to_str(keys[index]);
    }
  } catch (const std::exception&) {  // the server is gone: nobody answers any more
  }
  return answers;
}

std::string ProcessWorld::answer() const {
  const std::lock_guard lock(mutex_);
  return waiting_.group == nullptr ? in_no_collective
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
  if (store_answers(); unreachable_) return note_failure(rank, message);
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
    leave();
  } catch (const std::exception&) {  // the server is gone
  }
}

void ProcessWorld::end(std::int64_t rank) {
  flush();
  if (store_answers(); unreachable_) return;  // this rank's work is done
  try {
    stop_watching();
    leave();
    look_for_failure(*store_);
  } catch (const std::exception&) {  // the server has ended early; this rank's work is done
  }
}

// Those that wait for this rank see its connections close, then why.
void ProcessWorld::leave() {
  store_->set(key("ended", rank_), std::string("1"));
  for (std::deque<Outgoing>& queue : outgoing_) queue.clear();  // each keeps its connection open
  connections_.reset();
  wait_for_others_to_end();
}

// The store must not go while a rank may need it, be it to learn why it has to stop.
void ProcessWorld::wait_for_others_to_end() {
  if (!has_server_) return;
  const std::chrono::duration<double> time = stopped_ ? std::min(longest_linger, timeout_ / 2) : timeout_;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::ceil<std::chrono::milliseconds>(time);
  for (std::int64_t other = 0; other < num_ranks_; ++other) {
    const bool may_be_dead = other == first_failure().first;
    if (!may_be_dead) wait_for_key(*store_, key("ended", other), deadline);
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

bool ProcessWorld::is_alive(std::int64_t rank) {
  return wait_for_key(*store_, wake(rank), std::chrono::steady_clock::now() + death_time);
}

// The connection to `peer` is closed: it failed, ended, or died. What it says may take a moment.
void ProcessWorld::fail_lost(std::int64_t peer, const CollectiveCall& call, const Group& group) {
  try {
    if (store_answers(); unreachable_) note_failure(0, does_not_answer);
    const auto deadline = std::chrono::steady_clock::now() + 5 * answer_time;
    while (!stopped_ && !look_for_failure(*store_)) {
      if (store_->check({key("ended", peer)})) {
        fail_here(describe_place(call, group) + " cannot complete: rank " + std::to_string(peer) + " " +
                  has_returned);
      }
      if (!is_alive(peer) || std::chrono::steady_clock::now() > deadline) {
        if (look_for_failure(*store_)) break;
        if (!store_->check({key("ended", peer)})) fail(peer, std::make_exception_ptr(Error(died)));
      }
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
  store_answers();
  const std::vector<std::string> answers =
      unreachable_ ? std::vector<std::string>(static_cast<std::size_t>(num_ranks_)) : ask_all();
  if (stopped_) fail_stopped(call, group);  // another rank was first to say so
  std::string message = describe_timeout(call, group, timeout_.count());
  const char* separator = " ";
  for (std::int64_t rank = 0; rank < num_ranks_; ++rank) {
    std::string answer = answers[static_cast<std::size_t>(rank)];
    if (unreachable_) answer = rank == 0 && rank != rank_ ? does_not_answer : "cannot be asked";
    const bool is_missing = std::find(missing.begin(), missing.end(), rank) != missing.end();
    // Those that are missing may wait for these.
    const bool is_cause = answer == does_not_answer || answer == in_no_collective || answer == has_returned;
    if (!is_missing && !is_cause) continue;
    message += separator + ("rank " + std::to_string(rank)) + " " + answer;
    separator = "; ";
  }
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
