// Who has waited for whom: a clock for each stream and for the host, and for each memory when it was last read and written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace standin {

using StreamKey = int64_t;  // device and number of a stream in one
using Times = std::map<StreamKey, uint64_t>;  // how many of each stream's kernels are known to be done before what comes next

inline void join(Times& mine, const Times& theirs) {
  for (auto& [stream, time] : theirs) mine[stream] = std::max(mine[stream], time);
}

inline bool knows(const Times& times, StreamKey stream, uint64_t time) {
  auto found = times.find(stream);
  return found != times.end() && found->second >= time;
}

// What a GPU does without a word where a wait is missing, this tells: a read or a write beside a kernel that may still run.
class Clocks {
 public:
  // A kernel on `stream` that reads and writes these memories; what is wrong with it, or nothing.
  std::string kernel(StreamKey stream, const std::vector<const void*>& reads, const std::vector<const void*>& writes) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& now = streams_[stream];
    join(now, host_);
    auto time = ++now[stream];
    std::string wrong = wrong_;
    wrong_.clear();
    for (auto* at : reads) {
      auto& memory = memories_[at];
      if (memory.written && !knows(now, memory.writer, memory.written)) wrong = say("reads what", memory.writer, stream);
      memory.reads[stream] = time;
    }
    for (auto* at : writes) {
      auto& memory = memories_[at];
      if (memory.written && !knows(now, memory.writer, memory.written)) wrong = say("writes over what", memory.writer, stream);
      for (auto& [reader, last] : memory.reads)
        if (!knows(now, reader, last)) wrong = say("writes over what is still read by a kernel and not", reader, stream);
      memory.writer = stream, memory.written = time;
      memory.reads.clear();
    }
    return wrong;
  }

  // Memory that a kernel of `stream` got from the allocator, which gives it again to that stream only; or to a graph, for other graphs.
  void made(const void* at, StreamKey stream, bool for_graphs) {
    std::lock_guard<std::mutex> lock(mutex_);
    memories_[at] = Memory{stream, for_graphs};
    for (auto it = given_back_.begin(); it != given_back_.end();) {
      if (it->maker != stream) {
        ++it;
        continue;
      }
      for (auto& [user, time] : it->reads)
        if (user != stream && !it->recorded.count(user) && !knows(streams_[stream], user, time) && !knows(host_, user, time))
          wrong_ = "memory may be given again on " + name(stream) + " that is still used on " + name(user) + ", without a wait or record_stream";
      it = given_back_.erase(it);
    }
  }

  // Tensor.record_stream
  void recorded(const void* at, StreamKey stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    memories_[at].recorded.insert(stream);
  }

  // Memory goes back to the allocator, which may give it again at once.
  void freed(const void* at) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = memories_.find(at);
    if (found == memories_.end()) return;
    auto& memory = found->second;
    if (memory.written) memory.reads[memory.writer] = std::max(memory.reads[memory.writer], memory.written);
    if (!memory.for_graphs && !memory.reads.empty()) given_back_.push_back(std::move(memory));
    memories_.erase(found);
  }

  // What a capture asked for on `stream` does not run: nobody has to wait for it.
  void forget(StreamKey stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    host_[stream] = streams_[stream][stream];
  }

  Times of(StreamKey stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto now = streams_[stream];
    join(now, host_);
    return now;
  }

  void stream_waits(StreamKey stream, const Times& times) {
    std::lock_guard<std::mutex> lock(mutex_);
    join(streams_[stream], times);
  }

  void host_waits(const Times& times) {
    std::lock_guard<std::mutex> lock(mutex_);
    join(host_, times);
  }

  void host_waits_for_all() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [stream, times] : streams_) join(host_, times);
  }

  bool host_knows(StreamKey stream, uint64_t time) {
    std::lock_guard<std::mutex> lock(mutex_);
    return knows(host_, stream, time);
  }

 private:
  struct Memory {
    StreamKey maker = 0;
    bool for_graphs = false;
    StreamKey writer = 0;
    uint64_t written = 0;
    Times reads;  // since it was written
    std::unordered_set<StreamKey> recorded;
  };

  static std::string name(StreamKey stream) {
    auto device = stream / 1000000;
    return "stream " + std::to_string(stream % 1000000) + (device ? " of device " + std::to_string(device) : "");
  }
  static std::string say(const std::string& what, StreamKey other, StreamKey mine) {
    return "a kernel on " + name(mine) + " " + what + " a kernel on " + name(other) + " has written, without a wait for that stream";
  }

  std::mutex mutex_;
  std::unordered_map<StreamKey, Times> streams_;
  Times host_;
  std::unordered_map<const void*, Memory> memories_;
  std::vector<Memory> given_back_;
  std::string wrong_;  // told by the next kernel
};

inline Clocks& clocks() {
  static auto* only = new Clocks;  // memory is freed at the very end, too
  return *only;
}

}  // namespace standin
