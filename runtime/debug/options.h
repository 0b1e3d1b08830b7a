#pragma once
/// What environment variables ask of the runtime, read once.
namespace vescale {

struct Options {
  bool strict = false;  ///< VESCALE_STRICT=1: an op that would communicate by itself is an error
  bool check = false;   ///< VESCALE_CHECK=1: replicated values are compared over the ranks
};

const Options& options();

}  // namespace vescale
