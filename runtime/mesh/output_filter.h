#pragma once
/// Keeps what ranks other than 0 write to standard output from being shown.
#include <cstdio>

namespace vescale {

/// While it exists, std::cout and stdio's stdout show only what rank 0 and threads without a rank write, in
/// the order of writing. std::cout then writes through stdio for the rest of the program.
class OutputFilter {
 public:
  OutputFilter();
  ~OutputFilter();
  OutputFilter(const OutputFilter&) = delete;
  OutputFilter& operator=(const OutputFilter&) = delete;

 private:
  std::FILE* original_;
  std::FILE* filtered_;
};

/// Whether VESCALE_OUTPUT=all asks for what all ranks write: each has a file of its own.
bool shows_all_ranks();

}  // namespace vescale
