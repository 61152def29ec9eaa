// A GPU that is none: tensors of device cuda:0 in host memory, computed by torch's CPU kernels, under the rules of a GPU.
#include <torch/library.h>

#include "fallback.h"

namespace standin {

// torch has these for all devices at once, and they look for a GPU's part
const char* kForAll[] = {"aten::copy_", "aten::convolution", "aten::convolution_backward"};

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

c10::Registerer<std::string, std::unique_ptr<at::CUDAHooksInterface>, at::CUDAHooksArgs> hooks(
    "CUDAHooks", c10::REGISTRY_PREFERRED, at::CUDAHooksRegistry(), [](at::CUDAHooksArgs args) -> std::unique_ptr<at::CUDAHooksInterface> { return std::make_unique<Hooks>(args); });

}  // namespace standin

TORCH_LIBRARY_IMPL(_, CUDA, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&standin::fallback>()); }

using standin::clocks;
using standin::key_of;

extern "C" {

// To be called once, when torch has its operators.
void standin_cover() {
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  auto cover = [&](const std::string& name) { library.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&standin::fallback>()); };
  for (auto* name : standin::kForAll) cover(name);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (auto& name : dispatcher.getAllOpNames()) {
    auto op = dispatcher.findOp(name);
    // a torch that was built for GPUs has kernels of its own; a GPU works on a list of tensors in one go
    bool own = op && op->hasKernelForDispatchKey(c10::DispatchKey::CUDA);
    if (op && ((own && standin::starts(name.name, "aten::")) || standin::starts(name.name, "aten::_foreach_")))
      cover(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
  }
}

int64_t standin_device() { return standin::current_device; }
void standin_set_device(int64_t device) { standin::current_device = device; }
int64_t standin_stream(int64_t device) { return standin::current_stream[device]; }
void standin_set_stream(int64_t device, int64_t stream) { standin::current_stream[device] = stream; }

void* standin_event() { return new standin::Event; }
void standin_drop_event(void* event) { delete static_cast<standin::Event*>(event); }
void standin_record(void* event, int64_t device, int64_t stream) { static_cast<standin::Event*>(event)->times = clocks().of(key_of(device, stream)); }
void standin_stream_waits(void* event, int64_t device, int64_t stream) {
  clocks().stream_waits(key_of(device, stream), static_cast<standin::Event*>(event)->times);
}

// The host waits for an event, or for everything. 0: as it should be.
int standin_host_waits(void* event) {
  if (event) clocks().host_waits(static_cast<standin::Event*>(event)->times);
  else clocks().host_waits_for_all();
  try {
    standin::arrived();
  } catch (const c10::Error&) {
    return 1;
  }
  return 0;
}

// Tensor.record_stream for memory that begins here.
void standin_used_on(const void* at, int64_t device, int64_t stream) { clocks().recorded(at, key_of(device, stream)); }

// -1: nothing is captured.
void standin_capture(int64_t device, int64_t stream) {
  auto before = standin::state().captured.exchange(stream < 0 ? -1 : key_of(device, stream));
  if (stream < 0 && before >= 0) clocks().forget(before);
}
void standin_quiet(int more) { standin::state().quiet += more; }
void standin_count_launch() { ++standin::state().counts.launches; }
void standin_count_wait(const char* what) { standin::count_wait(what); }
void standin_listen(standin::Listener listener) { standin::state().listener = listener; }
void standin_counts(int64_t* found) {
  auto& counts = standin::state().counts;
  found[0] = counts.launches, found[1] = counts.waits, found[2] = counts.copies;
}
}
