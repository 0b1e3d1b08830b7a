#include "comm/c10d/post.h"

#include <cstring>
#include <type_traits>

#include "comm/agreement.h"

namespace vescale::comm {
namespace {

static_assert(std::is_trivially_copyable_v<Post>);

// As much of the end of `text` as fits.
template <std::size_t size>
void copy_end(char (&to)[size], const char* text) {
  if (text == nullptr) return;
  const std::size_t length = std::strlen(text);
  const std::size_t skip = length < size ? 0 : length - (size - 1);
  std::memcpy(to, text + skip, length - skip);
  to[length - skip] = '\0';
}

}  // namespace

Post::Post(const CollectiveCall& call)
    : counts_hash(hash_counts(call.counts)),
      count(call.count),
      peer(call.peer),
      line(call.site.line),
      kind(call.kind),
      op(call.op),
      dtype(call.dtype) {
  copy_end(site_op, call.site.op);
  copy_end(site_file, call.site.file);
}

CollectiveCall Post::call() const {
  CollectiveCall call{kind, op, dtype};
  call.count = count;
  call.peer = peer;
  call.site = {site_op[0] != '\0' ? site_op : nullptr, site_file[0] != '\0' ? site_file : nullptr, line};
  return call;
}

}  // namespace vescale::comm
