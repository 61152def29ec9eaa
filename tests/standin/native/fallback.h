// Any operator on tensors of the device: judged by the rules of a GPU, then computed by the CPU's kernel.
#pragma once

#include "aliases.h"
#include "rules.h"
#include "transfers.h"

namespace standin {

class Call {
 public:
  Call(const c10::OperatorHandle& op, torch::jit::Stack* stack)
      : op_(op), schema_(op.schema()), stack_(stack), name_(name_of(schema_)), begin_(stack->size() - schema_.arguments().size()) {}

  void run() {
    find_device();
    for (size_t i = 0; i < schema_.arguments().size(); ++i) take(i);
    stream_ = here(device_);
    bool crosses = copy_between();
    if (!is_free(schema_, name_) && (!reads_.empty() || !writes_.empty() || makes_)) launch();
    if (asynchronous_ && target_on_host_) {  // the values travel; the host has none of them yet
      auto values = taken_[1].second.clone();
      c10::impl::ExcludeDispatchKeyGuard no_autograd(c10::autograd_dispatch_keyset);
      values = values.to(taken_[0].second.scalar_type()).expand_as(taken_[0].second).contiguous();
      transfers().to_host(taken_[0].second, values, stream_);
      torch::jit::drop(*stack_, schema_.arguments().size());
      stack_->emplace_back(taken_[0].first);
      return;
    }
    {
      c10::impl::ExcludeDispatchKeyGuard no_autograd(c10::autograd_dispatch_keyset);
      op_.callBoxed(stack_);
    }
    if (asynchronous_ && crosses) transfers().to_device(taken_[1].second, stream_);
    if (waits_) {
      clocks().host_waits(clocks().of(stream_));
      arrived();
    }
    for (size_t i = begin_; i < stack_->size(); ++i) give_back((*stack_)[i]);
  }

 private:
  c10::IValue& argument(size_t i) { return (*stack_)[begin_ + i]; }

  template <typename Visit>
  void each_tensor(const c10::IValue& value, Visit visit) {
    if (value.isTensor()) visit(value.toTensor());
    else if (value.isTensorList())
      for (const at::Tensor& t : value.toTensorVector()) visit(t);
    else if (value.isOptionalTensorList())
      for (std::optional<at::Tensor> t : value.toOptionalTensorList())
        if (t) visit(*t);
  }

  void find_device() {
    device_ = current_device;
    bool found = false;
    for (size_t i = 0; i < schema_.arguments().size(); ++i) {
      auto& value = argument(i);
      if (value.isDevice() && value.toDevice().is_cuda()) {
        makes_ = true;
        if (value.toDevice().has_index() && !found) device_ = value.toDevice().index();
        value = c10::Device(c10::kCPU);
      }
      each_tensor(value, [&](const at::Tensor& t) {
        if (!t.defined() || !t.is_cuda()) return;
        if (!found) device_ = t.device().index();
        found = true;
        on_device_ = true;
      });
    }
  }

  void take(size_t i) {
    auto& value = argument(i);
    auto* alias = schema_.arguments()[i].alias_info();
    bool writes = alias && alias->isWrite();
    auto taken = [&](const at::Tensor& t) {
      if (!t.defined()) return t;
      check(t);
      if (t.is_cuda() && t.numel()) (writes ? writes_ : reads_).push_back(t.storage().data());
      auto cpu = aliases_.on_cpu(t);
      taken_.emplace_back(t, cpu);
      return cpu;
    };
    if (value.isTensor()) {
      value = taken(value.toTensor());
    } else if (value.isTensorList()) {
      std::vector<at::Tensor> made;
      for (const at::Tensor& t : value.toTensorVector()) made.push_back(taken(t));
      value = c10::List<at::Tensor>(made);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> made;
      for (std::optional<at::Tensor> t : value.toOptionalTensorList()) made.push_back(t ? std::optional<at::Tensor>(index(*t, taken)) : t);
      value = made;
    }
  }

  // By a mask, whose ones have to be counted, or by places that come from the host.
  template <typename Take>
  at::Tensor index(const at::Tensor& t, Take taken) {
    if (t.defined() && on_device_) {
      bool mask = t.scalar_type() == at::kBool || t.scalar_type() == at::kByte;
      if (mask && name_ != "index.Tensor_out") wait(name_ + " by a mask");  // there its `nonzero` was a wait already
      if (!t.is_cuda()) wait(name_ + " with places on the host");
    }
    return taken(t);
  }

  // A GPU's kernel takes tensors of the host only without axes, as places, or where it copies.
  void check(const at::Tensor& t) {
    bool copies = starts(name_, "copy_") || starts(name_, "_copy_from") || starts(name_, "set_");
    bool places = name_.find("index") != std::string::npos && t.is_cpu();
    if (!on_device_ || copies || places || (t.is_cpu() && t.dim() == 0)) return;
    TORCH_CHECK(t.is_cuda() && t.device().index() == device_, "Expected all tensors to be on the same device, but found at least two devices, ",
                cuda(device_), " and ", t.device(), "! (", name_, ")");
  }

  void wait(const std::string& what) {
    refuse_in_capture(what);
    count_wait(what);
    waits_ = true;
  }

  // Whether this is a copy between host and device.
  bool copy_between() {
    if (name_ != "copy_" || taken_[0].first.is_cuda() == taken_[1].first.is_cuda() || !taken_[0].first.numel()) return false;
    target_on_host_ = taken_[0].first.is_cpu();
    if (!state().quiet) ++state().counts.copies;
    const auto& host = target_on_host_ ? taken_[0].first : taken_[1].first;
    asynchronous_ = argument(2).toBool() && Pinned::has(host.storage().data());
    if (!asynchronous_) wait(target_on_host_ ? "a copy from device to host" : "a copy from host to device");
    return true;
  }

  void launch() {
    if (waits(name_)) wait(name_);
    auto captured = state().captured.load();
    TORCH_CHECK(captured < 0 || captured == stream_ || state().quiet, "CUDA error: a dependency would be created on another stream while one is captured (",
                name_, " on stream ", stream_ % 1000000, ")");
    auto wrong = clocks().kernel(stream_, reads_, writes_);
    TORCH_CHECK(wrong.empty(), "stand-in GPU: ", name_, ": ", wrong);
    if (!state().quiet) ++state().counts.launches;
  }

  at::Tensor returned(const at::Tensor& t) {
    if (!t.defined()) return t;
    for (auto& [was, now] : taken_)
      if (now.unsafeGetTensorImpl() == t.unsafeGetTensorImpl()) {
        if (was.is_cuda() && (was.sizes() != now.sizes() || was.strides() != now.strides() || was.storage().data() != now.storage().data())) {
          auto made = aliases_.on_device(now, device_, stream_);  // it was given another size
          was.unsafeGetTensorImpl()->set_storage_keep_dtype(made.storage());
          was.unsafeGetTensorImpl()->set_sizes_and_strides(made.sizes(), made.strides(), made.storage_offset());
        }
        return was;
      }
    if (!on_device_ && !makes_) return t;
    auto made = aliases_.on_device(t, device_, stream_);
    if (!is_free(schema_, name_) && made.numel()) clocks().kernel(stream_, {}, {made.storage().data()});
    return made;
  }

  void give_back(c10::IValue& value) {
    if (value.isTensor()) {
      value = returned(value.toTensor());
    } else if (value.isTensorList()) {
      std::vector<at::Tensor> made;
      for (const at::Tensor& t : value.toTensorVector()) made.push_back(returned(t));
      value = c10::List<at::Tensor>(made);
    }
  }

  const c10::OperatorHandle& op_;
  const c10::FunctionSchema& schema_;
  torch::jit::Stack* stack_;
  std::string name_;
  size_t begin_;
  c10::DeviceIndex device_ = 0;
  StreamKey stream_ = 0;
  bool on_device_ = false, makes_ = false, waits_ = false, asynchronous_ = false, target_on_host_ = false;
  Aliases aliases_;
  std::vector<std::pair<at::Tensor, at::Tensor>> taken_;  // as given, and on the CPU
  std::vector<const void*> reads_, writes_;
};

inline void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) { Call(op, stack).run(); }

}  // namespace standin
