#pragma once
/// The key-value store that the processes of a program share: a server beside rank 0, a connection from each.
#include <chrono>
#include <string>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "comm/c10d/join.h"

namespace vescale::comm {

/// This process's connection to the store, made at the first call; rank 0 starts the server. The server lives
/// as long as the process, since other ranks may still need it when a world ends. Throws Error that names the
/// address.
c10::intrusive_ptr<c10d::TCPStore> open_store(const Rendezvous& rendezvous,
                                              std::chrono::duration<double> timeout);

/// Whether `key` is there by `deadline`. Asks again and again: the store's own wait warns on standard error
/// when it ends.
bool wait_for_key(c10d::Store& store, const std::string& key, std::chrono::steady_clock::time_point deadline);

/// The address of this machine from which `host` is reached, for connections among the ranks.
std::string local_address_towards(const std::string& host);

}  // namespace vescale::comm
