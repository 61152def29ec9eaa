// What a GPU makes of an operator: nothing at all, kernels, a copy, a wait of the host; and what it refuses.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <thread>

#include "device.h"

namespace standin {

struct Counts {
  std::atomic<int64_t> launches{0}, waits{0}, copies{0};
};

using Listener = void (*)(const char*);

// Of the process: which stream is captured and by whom, what is counted.
struct State {
  Counts counts;
  std::atomic<StreamKey> captured{-1};
  std::atomic<int> quiet{0};  // a graph is repeated, or memory is set as it was: no launches of their own
  std::atomic<Listener> listener{nullptr};
};

inline State& state() {
  static auto* only = new State;
  return *only;
}

inline void refuse_in_capture(const std::string& what) {
  TORCH_CHECK(state().captured < 0, "CUDA error: operation not permitted when stream is capturing (", what, ")");
}

// The host waits, or what it does costs a wait.
inline void count_wait(const std::string& what) {
  if (state().quiet) return;
  ++state().counts.waits;
  if (auto* listener = state().listener.load()) listener(what.c_str());
}

inline bool starts(const std::string& text, const char* head) { return text.rfind(head, 0) == 0; }

// An operator's name and overload, without the library.
inline std::string name_of(const c10::FunctionSchema& schema) {
  auto name = schema.name().substr(schema.name().find("::") + 2);
  return schema.overload_name().empty() ? name : name + "." + schema.overload_name();
}

// It only looks at its operands from another side, or makes room: no kernel.
inline bool is_free(const c10::FunctionSchema& schema, const std::string& name) {
  static const std::set<std::string> others = {"set_", "resize_", "is_pinned", "record_stream", "is_same_size", "_pin_memory"};
  auto plain = name.substr(0, name.find('.'));
  if (starts(name, "empty") || starts(name, "new_empty") || others.count(plain)) return true;
  bool views = false;
  for (const auto& result : schema.returns())
    if (auto* alias = result.alias_info()) {
      if (alias->isWrite()) return false;
      views = true;
    }
  return views;
}

// The host waits for its result.
inline bool waits(const std::string& name) {
  static const std::set<std::string> known = {
      "_local_scalar_dense", "equal", "is_nonzero", "masked_select", "nonzero", "_unique2", "unique_dim", "unique_consecutive",
      "repeat_interleave.Tensor", "bincount", "histc", "_linalg_check_errors", "masked_select.out", "nonzero.out"};
  return known.count(name) > 0;
}

}  // namespace standin
