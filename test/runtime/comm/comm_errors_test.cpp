// What goes wrong ends at once, on all ranks, with one message that says where and who.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <mutex>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace vescale {
namespace {

MeshShape tp(std::int64_t ranks) { return {{"tp"}, {ranks}}; }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Runs `body`, which must fail within a few seconds, and returns the message.
std::string failure_of(const MeshShape& shape, const std::function<void()>& body, double timeout = 60) {
  const auto start = std::chrono::steady_clock::now();
  try {
    run_ranks(shape, body, {timeout});
  } catch (const std::exception& error) {
    EXPECT_LT(seconds_since(start), 10);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin: " << text;
}

TEST(Mismatch, OtherCollectiveNamesBothPlaces) {
  const std::string message = failure_of(tp(3), [] {
    const bool odd = mesh().rank() == 1;
    const CallSiteScope scope({"redistribute", odd ? "b.cpp" : "a.cpp", odd ? 20 : 10});
    at::Tensor tensor = at::ones({4});
    if (odd) {
      mesh().group(0).broadcast(tensor, 0);
    } else {
      mesh().group(0).all_reduce(tensor);
    }
  });
  expect_contains(message, {"'tp'", "rank 0 called all_reduce(sum) of 4 Float in redistribute at a.cpp:10",
                            "rank 1 called broadcast of 4 Float", "b.cpp:20"});
}

TEST(Mismatch, EachFieldIsSeen) {
  const auto all_reduce = [](std::int64_t size, at::ScalarType dtype, ReduceOp op) {
    return [=](Group& group) { group.all_reduce(at::ones({size}, dtype), op); };
  };
  const auto gather = [](std::vector<std::int64_t> counts) {
    return [=](Group& group) {
      group.all_gather(at::ones({counts[static_cast<std::size_t>(group.rank())]}), counts);
    };
  };
  const auto broadcast = [](std::int64_t root) {
    return [=](Group& group) { group.broadcast(at::ones({3}), root); };
  };
  using Call = std::function<void(Group&)>;
  const std::vector<std::pair<Call, Call>> pairs{
      {all_reduce(4, at::kFloat, ReduceOp::Sum), all_reduce(5, at::kFloat, ReduceOp::Sum)},
      {all_reduce(4, at::kFloat, ReduceOp::Sum), all_reduce(4000, at::kFloat, ReduceOp::Sum)},
      {all_reduce(4000, at::kFloat, ReduceOp::Sum), all_reduce(4000, at::kDouble, ReduceOp::Sum)},
      {all_reduce(4, at::kFloat, ReduceOp::Sum), all_reduce(4, at::kInt, ReduceOp::Sum)},
      {all_reduce(4, at::kFloat, ReduceOp::Sum), all_reduce(4, at::kFloat, ReduceOp::Max)},
      {gather({2, 3}), gather({3, 2})},
      {gather({2000, 3}), gather({2000, 4})},
      {broadcast(0), broadcast(1)},
      {broadcast(0), [](Group& group) { group.barrier(); }},
  };
  for (const auto& [first, second] : pairs) {
    std::atomic<int> throwing{0};
    failure_of(tp(2), [&] {
      try {
        (mesh().rank() == 0 ? first : second)(mesh().group(0));
      } catch (const Error&) {
        ++throwing;
        throw;
      }
    });
    EXPECT_EQ(throwing.load(), 2);
  }
}

TEST(Mismatch, AllToAllCounts) {
  const std::string message = failure_of(tp(3), [] {
    std::vector<std::int64_t> send(3, 2), recv(3, 2);
    if (mesh().rank() == 2) recv[1] = 5;
    mesh().group(0).all_to_all(at::ones({6}), send, recv);
  });
  expect_contains(message, {"rank 1 sends 2 elements to rank 2", "expects 5"});
}

TEST(Mismatch, SendAndReceive) {
  const std::string message = failure_of(tp(2), [] {
    if (mesh().rank() == 0) {
      mesh().group(0).send(at::ones({3}), 1);
    } else {
      mesh().group(0).recv(at::ones({4}), 0);
    }
  });
  expect_contains(message, {"recv of 4 Float", "send of 3 Float"});
}

TEST(Mismatch, GroupWorksAfterACaughtMismatch) {
  run_ranks(tp(3),
            [] {
              for (int round = 0; round < 50; ++round) {
                at::Tensor wrong = at::ones({mesh().rank() == 1 ? 4 : round % 2 == 0 ? 5 : 5000});
                EXPECT_THROW(mesh().group(0).all_reduce(wrong), Error);
                at::Tensor right = at::ones({3});
                mesh().group(0).all_reduce(right);
                EXPECT_EQ(right[2].item<float>(), 3);
              }
            },
            {60});
}

TEST(CheckEqual, NamesTheRanksThatDiffer) {
  const std::string message = failure_of(tp(4), [] {
    at::Tensor tensor = at::zeros({1000}, at::kDouble);
    mesh().group(0).check_equal(tensor);
    if (mesh().rank() >= 2) tensor[999] = -0.0;
    mesh().group(0).check_equal(tensor);
  });
  expect_contains(message, {"rank(s) 2, 3 differ from rank 0"});
}

TEST(Timeout, NamesTheMissingRankAndThePlace) {
  std::mutex mutex;
  std::condition_variable leave;
  bool done = false;
  const std::string message = failure_of(
      {{"dp", "tp"}, {2, 2}},
      [&] {
        const CallSiteScope scope({"linear", "net.cpp", 33});
        if (mesh().rank() == 2) {
          std::unique_lock lock(mutex);
          leave.wait_for(lock, std::chrono::seconds(5), [&] { return done; });
          return;
        }
        try {
          mesh().world().all_reduce(at::ones({4}));
        } catch (const Error&) {
          const std::lock_guard lock(mutex);
          done = true;
          leave.notify_all();
          throw;
        }
      },
      0.3);
  expect_contains(message,
                  {"all_reduce(sum) of 4 Float in linear at net.cpp:33 over 'dp,tp' timed out after 0.3 s",
                   "missing: rank 2 is not in any collective"});
}

TEST(Timeout, DeadlockNamesWhereTheOtherWaits) {
  const std::string message = failure_of(
      tp(2),
      [&] {
        if (mesh().rank() == 0) {
          mesh().world().barrier();
        } else {
          const CallSiteScope scope({"pipeline", "stage.cpp", 7});
          mesh().world().recv(at::ones({4}), 0);
        }
      },
      0.3);
  EXPECT_TRUE(message.find("rank 1 waits in recv of 4 Float in pipeline at stage.cpp:7") !=
                  std::string::npos ||
              message.find("rank 0 waits in barrier") != std::string::npos)
      << message;
}

TEST(Failure, ExceptionOfOneRankEndsAll) {
  for (std::int64_t ranks : {2, 3, 4, 8}) {
    std::atomic<int> stopped{0};
    const std::string message = failure_of(tp(ranks), [&] {
      mesh().world().barrier();
      if (mesh().rank() == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the others sleep by now
        throw std::domain_error("no such file");
      }
      try {
        mesh().world().all_reduce(at::ones({10000}));
      } catch (const Error& error) {
        ++stopped;
        expect_contains(error.what(), {"stopped in all_reduce", "rank 1 failed"});
        throw;
      }
    });
    EXPECT_EQ(message, "no such file");
    EXPECT_EQ(stopped.load(), ranks - 1);
  }
}

TEST(Failure, KeepsTheTypeOfTheException) {
  EXPECT_THROW(run_ranks(tp(2),
                         [] {
                           if (mesh().rank() == 0) throw std::domain_error("x");
                           mesh().world().barrier();
                         }),
               std::domain_error);
}

TEST(Failure, StopsReceiversAndGroupsMadeLater) {
  const std::string message = failure_of({{"a", "b"}, {2, 2}}, [&] {
    if (mesh().rank() == 0) throw std::runtime_error("first");
    if (mesh().rank() == 1) mesh().world().recv(at::ones({1}), 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (mesh().rank() == 2) mesh().group(0).barrier();  // nobody has asked for this group before
  });
  EXPECT_EQ(message, "first");
}

TEST(Failure, ReturningEarlyIsSeen) {
  const std::string message = failure_of(tp(3), [] {
    mesh().world().barrier();
    if (mesh().rank() == 2) return;
    mesh().world().all_reduce(at::ones({4}));
  });
  expect_contains(message, {"all_reduce(sum) of 4 Float over 'tp'", "rank 2 has returned"});
}

TEST(Failure, ReturningAfterTheLastCollectiveIsFine) {
  for (int round = 0; round < 200; ++round) {
    run_ranks(tp(4), [] { mesh().world().all_reduce(at::ones({200})); }, {60});
  }
}

TEST(Failure, MessagesOfAReturnedSenderArrive) {
  run_ranks(tp(2),
            [] {
              if (mesh().rank() == 0) return mesh().world().send(at::ones({4}), 1);
              std::this_thread::sleep_for(std::chrono::milliseconds(20));
              at::Tensor tensor = at::zeros({4});
              mesh().world().recv(tensor, 0);
              EXPECT_EQ(tensor.sum().item<float>(), 4);
            },
            {60});
}

TEST(Failure, SwallowedTimeoutStillFails) {
  const std::string message = failure_of(
      tp(2),
      [] {
        try {
          mesh().world().recv(at::ones({4}), 1 - mesh().rank());
        } catch (const Error&) {
        }
      },
      0.1);
  expect_contains(message, {"timed out"});
}

struct BadArgument {
  const char* message;
  std::function<void(Group&)> call;
};

TEST(Arguments, AreCheckedBeforeCommunication) {
  const at::Tensor four = at::ones({4});
  const std::vector<BadArgument> cases{
      {"undefined", [](Group& g) { g.all_reduce(at::Tensor()); }},
      {"not contiguous", [](Group& g) { g.all_reduce(at::ones({2, 3}).t()); }},
      {"avg is not defined for Int", [](Group& g) { g.all_reduce(at::ones({2}, at::kInt), ReduceOp::Avg); }},
      {"avg is not defined for Bool",
       [](Group& g) { g.all_reduce(at::ones({2}, at::kBool), ReduceOp::Avg); }},
      {"max is not defined for ComplexFloat",
       [](Group& g) { g.all_reduce(at::ones({2}, at::kComplexFloat), ReduceOp::Max); }},
      {"1 counts for 2 ranks", [=](Group& g) { g.all_gather(four, {4}); }},
      {"counts of -1", [=](Group& g) { g.all_gather(four, {4, -1}); }},
      {"input has 4 elements instead of the 3", [=](Group& g) { g.all_gather(four, {3, 3}); }},
      {"output has 4 elements instead of the 8", [=](Group& g) { g.all_gather(four, four, {4, 4}); }},
      {"output is Int", [=](Group& g) { g.all_gather(at::ones({8}, at::kInt), four, {4, 4}); }},
      {"input has 4 elements instead of the 5", [=](Group& g) { g.reduce_scatter(four, {2, 3}); }},
      {"rank 2 of a group of 2", [=](Group& g) { g.broadcast(four, 2); }},
      {"rank -1 of a group of 2", [=](Group& g) { g.send(four, -1); }},
      {"with itself", [=](Group& g) { g.send(four, g.rank()); }},
      {"with itself", [=](Group& g) { g.recv(four, g.rank()); }},
      {"sends itself 2 elements but expects 1",
       [=](Group& g) {
         g.rank() == 0 ? g.all_to_all(four, {2, 2}, {1, 2}) : g.all_to_all(four, {2, 2}, {2, 1});
       }},
  };
  run_ranks(tp(2),
            [&] {
              for (const BadArgument& bad : cases) {
                try {
                  bad.call(mesh().world());
                  ADD_FAILURE() << bad.message;
                } catch (const Error& error) {
                  expect_contains(error.what(), {bad.message, "'tp'"});
                }
              }
              mesh().world().barrier();
            },
            {60});
}

}  // namespace
}  // namespace vescale
