// Copies between host and device that the host does not wait for: what is too early or too late on the host's side shows.
#pragma once

#include <cstring>
#include <list>

#include "device.h"

namespace standin {

// The host finds nonsense where a copy is to arrive, until it has waited for it; what it is still copied from must stay as it was.
class Transfers {
 public:
  void to_host(const at::Tensor& target, const at::Tensor& values, StreamKey stream) {
    std::memset(target.storage().mutable_data(), 0x7f, target.storage().nbytes());
    add({target, values, stream, now(stream), true});
  }

  void to_device(const at::Tensor& source, StreamKey stream) { add({source, source.clone(), stream, now(stream), false}); }

  // After a wait of the host; which copy was disturbed, or nothing.
  std::string arrive() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::string wrong;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (!clocks().host_knows(it->stream, it->time)) {
        ++it;
        continue;
      }
      if (it->arrives) {
        it->host.copy_(it->values);
      } else if (!it->host.is_contiguous() || std::memcmp(it->host.const_data_ptr(), it->values.const_data_ptr(), it->values.nbytes())) {
        if (it->host.is_contiguous()) wrong = "memory of the host has changed while it was copied to the device";
      }
      it = waiting_.erase(it);
    }
    return wrong;
  }

 private:
  struct Transfer {
    at::Tensor host, values;
    StreamKey stream;
    uint64_t time;
    bool arrives;
  };

  static uint64_t now(StreamKey stream) { return clocks().of(stream)[stream]; }
  void add(Transfer transfer) {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(transfer));
  }

  std::mutex mutex_;
  std::list<Transfer> waiting_;
};

inline Transfers& transfers() {
  static auto* only = new Transfers;
  return *only;
}

// The host has waited.
inline void arrived() {
  c10::impl::ExcludeDispatchKeyGuard no_autograd(c10::autograd_dispatch_keyset);
  auto wrong = transfers().arrive();
  TORCH_CHECK(wrong.empty(), "stand-in GPU: ", wrong);
}

}  // namespace standin
