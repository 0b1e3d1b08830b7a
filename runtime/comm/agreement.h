#pragma once
/// Whether the ranks of a group called the same collective, and the arithmetic of its pieces.
#include <cstddef>
#include <cstdint>

#include "comm/backend.h"

namespace vescale::comm {

/// Sum of the counts of the ranks before `index`.
std::int64_t sum_before(c10::IntArrayRef counts, std::size_t index);

std::uint64_t hash_counts(c10::IntArrayRef counts);

std::int64_t bytes_of(std::int64_t count, c10::ScalarType dtype);

/// Whether what each rank brings to `call` fits into `limit` bytes, so that it can travel with the
/// description of the call. The same answer on every rank whose calls agree.
bool fits(const CollectiveCall& call, std::int64_t limit);

/// A call as another rank reports it: its counts are known by their hash only.
struct ReportedCall {
  const CollectiveCall& call;
  std::uint64_t counts_hash;
};

/// Throws Error that names both places unless the call of rank `index` of `group` is that of its rank 0. The
/// parts of an all_to_all are not compared.
void check_agreement(const Group& group, const ReportedCall& first, std::size_t index,
                     const ReportedCall& other);

/// Throws Error that names both places unless each rank of an all_to_all sends what the other expects.
/// `calls`: of all ranks, with their counts.
void check_all_to_all_counts(const Group& group, c10::ArrayRef<CollectiveCall> calls);

/// Throws Error unless what `call` moves is in host memory. `backend`: its name.
void check_on_cpu(const Group& group, const CollectiveCall& call, const char* backend);

/// "all_reduce(sum) of 4 Float in linear at net.cpp:33 over 'tp'"
std::string describe_place(const CollectiveCall& call, const Group& group);

/// "all_reduce(sum) of 4 Float over 'tp' timed out after 5 s; missing:"
std::string describe_timeout(const CollectiveCall& call, const Group& group, double seconds);

}  // namespace vescale::comm
