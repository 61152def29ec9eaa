// The same memory as a tensor of the device and as one of the CPU, whose kernels compute in place of a GPU's.
#pragma once

#include <utility>
#include <vector>

#include "rules.h"

namespace standin {

// Of one call: storages of the device, each with the CPU's storage on its memory.
class Aliases {
 public:
  at::Tensor on_cpu(const at::Tensor& t) {
    if (!t.defined() || !t.is_cuda()) return t;
    for (auto& [device, cpu] : pairs_)
      if (device.unsafeGetStorageImpl() == t.storage().unsafeGetStorageImpl()) return view(cpu, t, c10::DispatchKey::CPU);
    const auto& owner = t.storage();
    pairs_.emplace_back(owner, wrapped(owner, c10::kCPU, GetAllocator(c10::kCPU), true));
    return view(pairs_.back().second, t, c10::DispatchKey::CPU);
  }

  // `stream`: whose memory it is if a kernel has just made it
  at::Tensor on_device(const at::Tensor& t, c10::DeviceIndex device, StreamKey stream) {
    if (!t.defined() || !t.device().is_cpu()) return t;
    for (auto& [mine, cpu] : pairs_)
      if (cpu.unsafeGetStorageImpl() == t.storage().unsafeGetStorageImpl() && mine.data() == cpu.data())
        return view(mine, t, c10::DispatchKey::CUDA);
    const auto& owner = t.storage();
    if (owner.data()) clocks().made(owner.data(), stream, state().captured >= 0);
    pairs_.emplace_back(wrapped(owner, cuda(device), nullptr, false), owner);
    return view(pairs_.back().first, t, c10::DispatchKey::CUDA);
  }

 private:
  static at::Tensor view(const c10::Storage& storage, const at::Tensor& like, c10::DispatchKey key) {
    auto made = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(key), like.dtype());
    made.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    return made;
  }

  // Memory of `owner`, which lives as long as the new storage.
  static c10::Storage wrapped(const c10::Storage& owner, c10::Device device, c10::Allocator* allocator, bool resizable) {
    auto give_back = device.is_cpu() ? [](void* s) { delete static_cast<c10::Storage*>(s); } : [](void* s) {
      auto* held = static_cast<c10::Storage*>(s);
      clocks().freed(held->data());
      delete held;
    };
    c10::DataPtr data(const_cast<void*>(owner.data()), new c10::Storage(owner), give_back, device);
    return c10::Storage(c10::Storage::use_byte_size_t(), owner.nbytes(), std::move(data), allocator, resizable);
  }

  std::vector<std::pair<c10::Storage, c10::Storage>> pairs_;
};

}  // namespace standin
