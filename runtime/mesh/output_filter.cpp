#include "mesh/output_filter.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <streambuf>

#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace vescale {
namespace {

// Threads without a rank are shown. Does not make a context.
bool is_shown() {
  const RankContext* context = detail::current_rank_context;
  return context == nullptr || context->rank() == 0;
}

// The target of std::cout: unbuffered, so that threads share no state in it but the FILE, which has a lock.
class FilterBuffer : public std::streambuf {
 public:
  explicit FilterBuffer(std::FILE* target) : target_(target) {}

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    if (!is_shown()) return c;
    return std::fputc(c, target_) == EOF ? traits_type::eof() : c;
  }

  std::streamsize xsputn(const char* text, std::streamsize length) override {
    if (!is_shown()) return length;
    return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(length), target_));
  }

  int sync() override { return is_shown() ? std::fflush(target_) : 0; }

 private:
  std::FILE* target_;
};

// What other ranks' vescale::cout() writes to.
class NullBuffer : public std::streambuf {
 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize length) override { return length; }
};

struct NullStream {
  NullBuffer buffer;
  std::ostream stream{&buffer};
};

ssize_t write_filtered(void* target, const char* text, std::size_t length) {
  if (!is_shown()) return static_cast<ssize_t>(length);
  return static_cast<ssize_t>(std::fwrite(text, 1, length, static_cast<std::FILE*>(target)));
}

// std::cout keeps its filter for good: what runs at exit may still write to it.
void filter_cout(std::FILE* target) {
  static const bool done = [target] {
    std::cout.flush();
    // Were a rank to call this, std::cout would get a new buffer under the other ranks' feet; a second call
    // does nothing.
    std::ios::sync_with_stdio(false);
    std::cout.rdbuf(new FilterBuffer(target));
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

OutputFilter::OutputFilter() : original_(stdout), filtered_(nullptr) {
  filter_cout(original_);
  cookie_io_functions_t functions{};
  functions.write = write_filtered;
  filtered_ = fopencookie(original_, "w", functions);
  if (filtered_ == nullptr) throw Error("cannot redirect standard output");
  // A buffer would mix the text of several ranks; the original stream has one.
  std::setvbuf(filtered_, nullptr, _IONBF, 0);
  stdout = filtered_;
}

OutputFilter::~OutputFilter() {
  std::fflush(filtered_);
  stdout = original_;
  std::fclose(filtered_);
  std::fflush(original_);
}

bool shows_all_ranks() {
  const char* value = std::getenv("VESCALE_OUTPUT");
  return value != nullptr && std::strcmp(value, "all") == 0;
}

std::ostream& cout() {
  RankContext* context = detail::current_rank_context;
  return context == nullptr || context->rank() == 0 || shows_all_ranks() ? std::cout
                                                                         : context->slot<NullStream>().stream;
}

}  // namespace vescale
