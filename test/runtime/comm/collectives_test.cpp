// Every collective, on 1 to 8 ranks, many types and sizes, against a serial computation, bitwise.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <mutex>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

#include "rank_processes.h"

namespace vescale {
namespace {

const std::vector<std::int64_t> rank_counts{1, 2, 3, 4, 8};
// Around the limit below which tensors travel inside the post, and around the block of the reduction.
const std::vector<std::int64_t> sizes{0, 1, 4, 63, 64, 65, 128, 129, 513, 1024, 5000};
const std::vector<at::ScalarType> reducible{at::kFloat, at::kDouble, at::kHalf,         at::kBFloat16,
                                            at::kInt,   at::kLong,   at::kByte,         at::kChar,
                                            at::kShort, at::kBool,   at::kComplexFloat, at::kComplexDouble};

MeshShape line(std::int64_t ranks) { return {{"x"}, {ranks}}; }

at::Tensor values(std::int64_t rank, std::int64_t count, at::ScalarType dtype, std::int64_t seed = 0) {
  at::Generator generator =
      at::detail::createCPUGenerator(static_cast<std::uint64_t>(1000 * seed + rank + 1));
  if (dtype == at::kBool) return at::randint(0, 2, {count}, generator).to(dtype);
  if (at::isIntegralType(dtype, false)) return at::randint(0, 100, {count}, generator).to(dtype);
  if (at::isComplexType(dtype))
    return at::view_as_complex(at::randn({count, 2}, generator).to(at::toRealValueType(dtype)));
  return at::randn({count}, generator).to(dtype);
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.numel() == b.numel() &&
         (a.numel() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0);
}

bool defined(at::ScalarType dtype, ReduceOp op) {
  if (op == ReduceOp::Avg) return at::isFloatingType(dtype) || at::isComplexType(dtype);
  if (op == ReduceOp::Max || op == ReduceOp::Min) return !at::isComplexType(dtype);
  return true;
}

// One LibTorch call a rank, in order of rank; half types in float.
at::Tensor reduce_serially(const std::vector<at::Tensor>& inputs, ReduceOp op) {
  const at::ScalarType dtype = inputs[0].scalar_type();
  const bool widen = dtype == at::kHalf || dtype == at::kBFloat16;
  at::Tensor result = widen ? inputs[0].to(at::kFloat) : inputs[0].clone();
  for (std::size_t rank = 1; rank < inputs.size(); ++rank) {
    const at::Tensor next = inputs[rank].to(result.scalar_type());
    switch (op) {
      case ReduceOp::Sum:
      case ReduceOp::Avg:
        result = dtype == at::kBool ? result.logical_or(next) : result + next;
        break;
      case ReduceOp::Prod:
        result = dtype == at::kBool ? result.logical_and(next) : result * next;
        break;
      case ReduceOp::Max:
        result = at::maximum(result, next);
        break;
      case ReduceOp::Min:
        result = at::minimum(result, next);
        break;
    }
  }
  if (op == ReduceOp::Avg) result = result / static_cast<double>(inputs.size());
  return result.to(dtype);
}

std::vector<at::Tensor> all_values(std::int64_t ranks, std::int64_t count, at::ScalarType dtype) {
  std::vector<at::Tensor> result;
  for (std::int64_t rank = 0; rank < ranks; ++rank) result.push_back(values(rank, count, dtype));
  return result;
}

// Uneven counts that sum to something near `total`, with empty ranks.
std::vector<std::int64_t> uneven_counts(std::int64_t ranks, std::int64_t total, int pattern) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    std::int64_t& count = counts[static_cast<std::size_t>(rank)];
    const std::int64_t chunk = (total + ranks - 1) / ranks;
    if (pattern == 0) count = std::clamp<std::int64_t>(total - rank * chunk, 0, chunk);  // torch.chunk
    if (pattern == 1) count = rank % 2 == 0 ? 0 : chunk + rank;
    if (pattern == 2) count = rank == ranks - 1 ? total : 0;
  }
  return counts;
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

class Collectives : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if (!can_run(ranks())) GTEST_SKIP() << "there are as many processes as another case needs";
  }
  std::int64_t ranks() const { return GetParam(); }
  void on_ranks(const std::function<void(Group&)>& body) {
    run_ranks(line(ranks()), [&] { body(mesh().world()); }, {60});
  }
};

TEST_P(Collectives, AllReduce) {
  on_ranks([&](Group& group) {
    for (at::ScalarType dtype : reducible) {
      for (std::int64_t size : sizes) {
        const std::vector<at::Tensor> inputs = all_values(ranks(), size, dtype);
        for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod}) {
          if (!defined(dtype, op)) continue;
          at::Tensor tensor = values(group.rank(), size, dtype);
          group.all_reduce(tensor, op);
          const at::Tensor expected = reduce_serially(inputs, op);
          if (at::isComplexType(dtype) && op != ReduceOp::Sum) {  // LibTorch multiplies in another order
            EXPECT_TRUE(at::allclose(tensor, expected, 1e-4, 1e-4)) << dtype << ' ' << size;
          } else {
            EXPECT_TRUE(same_bits(tensor, expected)) << dtype << ' ' << size << ' ' << static_cast<int>(op);
          }
          group.check_equal(tensor);
        }
      }
    }
  });
}

TEST_P(Collectives, AllReducePropagatesNan) {
  on_ranks([&](Group& group) {
    for (std::int64_t where = 0; where < ranks(); ++where) {
      for (std::int64_t size : {3, 1000}) {
        for (ReduceOp op : {ReduceOp::Max, ReduceOp::Min}) {
          at::Tensor tensor = at::full({size}, group.rank() == where ? NAN : 1.0, at::kFloat);
          group.all_reduce(tensor, op);
          EXPECT_TRUE(tensor.isnan().all().item<bool>());
        }
      }
    }
  });
}

TEST_P(Collectives, AllGather) {
  on_ranks([&](Group& group) {
    for (at::ScalarType dtype :
         {at::kFloat, at::kDouble, at::kBFloat16, at::kLong, at::kBool, at::kComplexDouble}) {
      for (std::int64_t size : sizes) {
        for (int pattern : {0, 1, 2}) {
          const std::vector<std::int64_t> counts = uneven_counts(ranks(), size, pattern);
          std::vector<at::Tensor> parts;
          for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            parts.push_back(values(static_cast<std::int64_t>(rank), counts[rank], dtype));
          }
          const at::Tensor out = group.all_gather(parts[static_cast<std::size_t>(group.rank())], counts);
          EXPECT_TRUE(same_bits(out, at::cat(parts))) << dtype << ' ' << size << ' ' << pattern;
        }
      }
    }
  });
}

TEST_P(Collectives, AllGatherIntoItsOwnInput) {
  on_ranks([&](Group& group) {
    for (std::int64_t size : {3, 700}) {
      const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks()), size);
      at::Tensor out = at::zeros({size * ranks()});
      const at::Tensor in = out.narrow(0, group.rank() * size, size);
      in.fill_(static_cast<double>(group.rank() + 1));
      group.all_gather(out, in, counts);
      EXPECT_TRUE(same_bits(out, at::arange(1, ranks() + 1).to(at::kFloat).repeat_interleave(size)));
    }
  });
}

TEST_P(Collectives, ReduceScatter) {
  on_ranks([&](Group& group) {
    for (at::ScalarType dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong}) {
      for (std::int64_t size : sizes) {
        for (int pattern : {0, 1, 2}) {
          const std::vector<std::int64_t> counts = uneven_counts(ranks(), size, pattern);
          const std::vector<at::Tensor> inputs = all_values(ranks(), sum(counts), dtype);
          for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max}) {
            if (!defined(dtype, op)) continue;
            const at::Tensor out =
                group.reduce_scatter(inputs[static_cast<std::size_t>(group.rank())].clone(), counts, op);
            const std::vector<at::Tensor> expected = reduce_serially(inputs, op).split_with_sizes(counts);
            EXPECT_TRUE(same_bits(out, expected[static_cast<std::size_t>(group.rank())].contiguous()))
                << dtype << ' ' << size << ' ' << pattern;
          }
        }
      }
    }
  });
}

TEST_P(Collectives, AllToAll) {
  on_ranks([&](Group& group) {
    for (std::int64_t size : sizes) {
      // What rank s sends to rank d: some pairs nothing.
      const auto count = [&](std::int64_t s, std::int64_t d) {
        return (s + 2 * d) % 3 == 0 ? 0 : size / 7 + s + 2 * d;
      };
      const auto part = [&](std::int64_t s, std::int64_t d) {
        return values(s, count(s, d), at::kDouble, d);
      };
      std::vector<std::int64_t> send_counts, recv_counts;
      std::vector<at::Tensor> sent, expected;
      for (std::int64_t other = 0; other < ranks(); ++other) {
        send_counts.push_back(count(group.rank(), other));
        recv_counts.push_back(count(other, group.rank()));
        sent.push_back(part(group.rank(), other));
        expected.push_back(part(other, group.rank()));
      }
      EXPECT_TRUE(same_bits(group.all_to_all(at::cat(sent), send_counts, recv_counts), at::cat(expected)));
    }
  });
}

TEST_P(Collectives, Broadcast) {
  on_ranks([&](Group& group) {
    for (at::ScalarType dtype : {at::kFloat, at::kLong, at::kBool}) {
      for (std::int64_t size : sizes) {
        for (std::int64_t root = 0; root < ranks(); ++root) {
          at::Tensor tensor = values(group.rank(), size, dtype);
          group.broadcast(tensor, root);
          EXPECT_TRUE(same_bits(tensor, values(root, size, dtype)));
        }
      }
    }
  });
}

TEST_P(Collectives, SendAndReceive) {
  on_ranks([&](Group& group) {
    if (ranks() == 1) return;
    const std::int64_t next = (group.rank() + 1) % ranks();
    const std::int64_t previous = (group.rank() + ranks() - 1) % ranks();
    for (std::int64_t size : sizes) {
      // All send first: a send does not wait for its receiver. Two messages keep their order.
      group.send(values(group.rank(), size, at::kFloat, 0), next);
      group.send(values(group.rank(), size, at::kFloat, 1), next);
      for (std::int64_t seed : {0, 1}) {
        at::Tensor tensor = at::empty({size});
        group.recv(tensor, previous);
        EXPECT_TRUE(same_bits(tensor, values(previous, size, at::kFloat, seed)));
      }
    }
  });
}

TEST_P(Collectives, ReceiveFromEachInAnyOrder) {
  on_ranks([&](Group& group) {
    for (std::int64_t other = 0; other < ranks(); ++other) {
      if (other != group.rank()) group.send(at::full({2}, group.rank(), at::kLong), other);
    }
    for (std::int64_t other = ranks(); other-- > 0;) {
      if (other == group.rank()) continue;
      at::Tensor tensor = at::empty({2}, at::kLong);
      group.recv(tensor, other);
      EXPECT_EQ(tensor[1].item<std::int64_t>(), other);
    }
  });
}

TEST_P(Collectives, BarrierWaitsForAll) {
  if (ranks_are_processes()) GTEST_SKIP() << "the counter is shared memory";
  std::atomic<std::int64_t> arrived{0};
  on_ranks([&](Group& group) {
    for (std::int64_t round = 1; round <= 200; ++round) {
      arrived.fetch_add(1);
      group.barrier();
      EXPECT_GE(arrived.load(), round * ranks());
      group.barrier();
      EXPECT_LE(arrived.load(), round * ranks() + ranks());
    }
  });
}

// The input may change as soon as the call returns, and small and large calls alternate.
TEST_P(Collectives, MemoryMayBeReusedAtOnce) {
  on_ranks([&](Group& group) {
    at::Tensor small = at::empty({2}), large = at::empty({2000});
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks()), 2);
    for (int round = 0; round < 300; ++round) {
      small.fill_(static_cast<double>(round + group.rank()));
      const at::Tensor gathered = group.all_gather(small, counts);
      small.fill_(-1);
      EXPECT_EQ(gathered[2 * ranks() - 1].item<float>(), static_cast<float>(round + ranks() - 1));
      if (round % 3 == 0) {
        large.fill_(1);
        group.all_reduce(large);
        EXPECT_EQ(large[1999].item<float>(), static_cast<float>(ranks()));
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, testing::ValuesIn(rank_counts));

}  // namespace
}  // namespace vescale
