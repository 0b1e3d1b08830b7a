#include <cstdio>

#include <vescale/comm.h>

namespace vescale {

const char* to_string(Collective kind) {
  switch (kind) {
    case Collective::AllReduce:
      return "all_reduce";
    case Collective::AllGather:
      return "all_gather";
    case Collective::ReduceScatter:
      return "reduce_scatter";
    case Collective::AllToAll:
      return "all_to_all";
    case Collective::Broadcast:
      return "broadcast";
    case Collective::Send:
      return "send";
    case Collective::Recv:
      return "recv";
    case Collective::Barrier:
      return "barrier";
  }
  return "?";
}

std::string CallSite::to_string() const {
  std::string text = op != nullptr ? op : "";
  if (file != nullptr) {
    if (!text.empty()) text += " at ";
    text += file;
    if (line > 0) text += ":" + std::to_string(line);
  }
  return text;
}

void CommStats::add(const std::string& axes, Collective kind, double bytes) {
  for (Entry& entry : entries_) {
    if (entry.kind == kind && entry.axes == axes) {
      ++entry.count;
      entry.bytes += bytes;
      return;
    }
  }
  entries_.push_back({axes, kind, 1, bytes});
}

std::int64_t CommStats::count(Collective kind) const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.kind == kind ? entry.count : 0;
  return sum;
}

std::int64_t CommStats::count(Collective kind, std::string_view axes) const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.kind == kind && entry.axes == axes ? entry.count : 0;
  return sum;
}

double CommStats::bytes(Collective kind) const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.kind == kind ? entry.bytes : 0;
  return sum;
}

double CommStats::bytes(Collective kind, std::string_view axes) const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.kind == kind && entry.axes == axes ? entry.bytes : 0;
  return sum;
}

std::int64_t CommStats::total_count() const {
  std::int64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.count;
  return sum;
}

double CommStats::total_bytes() const {
  double sum = 0;
  for (const Entry& entry : entries_) sum += entry.bytes;
  return sum;
}

std::string CommStats::to_string() const {
  if (entries_.empty()) return "no communication\n";
  std::string text = "collective      axes              count         bytes\n";
  char line[160];
  for (const Entry& entry : entries_) {
    std::snprintf(line, sizeof line, "%-15s %-12s %10lld %13.0f\n", vescale::to_string(entry.kind),
                  entry.axes.c_str(), static_cast<long long>(entry.count), entry.bytes);
    text += line;
  }
  return text;
}

}  // namespace vescale
