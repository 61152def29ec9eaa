// The device as torch knows it: devices, streams and events of each thread, memory that host and device share.
#pragma once

#include <ATen/ATen.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <cstdlib>
#include <set>

#include "clocks.h"

namespace standin {

constexpr c10::DeviceIndex kDevices = 2;
constexpr int64_t kFirstStream = 100;  // streams that torch itself makes; Python's have smaller numbers

inline thread_local c10::DeviceIndex current_device = 0;
inline thread_local c10::StreamId current_stream[kDevices] = {};  // 0: the default stream

inline StreamKey key_of(c10::DeviceIndex device, c10::StreamId stream) { return device * 1000000 + stream; }
inline StreamKey here(c10::DeviceIndex device) { return key_of(device, current_stream[device]); }
inline c10::Device cuda(c10::DeviceIndex index) { return {c10::kCUDA, index}; }

struct Event {
  Times times;
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device device) const override {
    auto old = getDevice();
    current_device = device.index();
    return old;
  }
  c10::Device getDevice() const override { return cuda(current_device); }
  void setDevice(c10::Device device) const override { current_device = device.index(); }
  void uncheckedSetDevice(c10::Device device) const noexcept override { current_device = device.index(); }
  c10::Stream getStream(c10::Device device) const noexcept override { return stream(device, current_stream[number(device)]); }
  c10::Stream getDefaultStream(c10::Device device) const override { return stream(device, 0); }
  c10::Stream getNewStream(c10::Device device, int) const override {
    static std::atomic<int64_t> made{kFirstStream};
    return stream(device, ++made);
  }
  c10::Stream exchangeStream(c10::Stream given) const noexcept override {
    auto old = getStream(given.device());
    current_stream[given.device_index()] = given.id();
    return old;
  }
  c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }
  void record(void** event, const c10::Stream& on, const c10::DeviceIndex, const c10::EventFlag) const override {
    if (!*event) *event = new Event;
    static_cast<Event*>(*event)->times = clocks().of(key(on));
  }
  void block(void* event, const c10::Stream& on) const override {
    if (event) clocks().stream_waits(key(on), static_cast<Event*>(event)->times);
  }
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream& on) const override { clocks().host_waits(clocks().of(key(on))); }
  void synchronizeEvent(void* event) const override {
    if (event) clocks().host_waits(static_cast<Event*>(event)->times);
  }
  void synchronizeDevice(const c10::DeviceIndex) const override { clocks().host_waits_for_all(); }
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& on) const override { clocks().recorded(data.get(), key(on)); }

 private:
  static c10::DeviceIndex number(c10::Device device) { return device.has_index() ? device.index() : current_device; }
  static c10::Stream stream(c10::Device device, c10::StreamId id) { return c10::Stream(c10::Stream::UNSAFE, cuda(number(device)), id); }
  static StreamKey key(const c10::Stream& on) { return key_of(on.device_index(), on.id()); }
};

// Page-locked memory of the host, which copies may go to and from while the host goes on.
struct Pinned final : c10::Allocator {
  static std::mutex& mutex() {
    static auto* only = new std::mutex;
    return *only;
  }
  static std::map<const char*, size_t>& blocks() {
    static auto* only = new std::map<const char*, size_t>;
    return *only;
  }
  static bool has(const void* at) {
    std::lock_guard<std::mutex> lock(mutex());
    auto* byte = static_cast<const char*>(at);
    auto next = blocks().upper_bound(byte);
    if (next == blocks().begin()) return false;
    --next;
    return byte < next->first + next->second;
  }
  static void give_back(void* at) {
    std::lock_guard<std::mutex> lock(mutex());
    blocks().erase(static_cast<char*>(at));
    std::free(at);
  }
  static c10::DataPtr taken(size_t bytes) {
    auto size = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
    auto* at = std::aligned_alloc(64, size);
    std::lock_guard<std::mutex> lock(mutex());
    blocks()[static_cast<char*>(at)] = size;
    return {at, at, &give_back, c10::kCPU};
  }
  c10::DataPtr allocate(size_t bytes) override { return taken(bytes); }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
};

struct Hooks final : at::CUDAHooksInterface {
  explicit Hooks(at::CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool isBuilt() const { return true; }
  bool isAvailable() const { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    static auto* only = new Pinned;
    return only;
  }
  bool isPinnedPtr(const void* data) const override { return Pinned::has(data); }
  c10::DeviceIndex deviceCount() const override { return kDevices; }
  c10::DeviceIndex getCurrentDevice() const override { return standin::current_device; }
  c10::DeviceIndex current_device() const override { return standin::current_device; }
  int getNumGPUs() const override { return kDevices; }
  c10::Device getDeviceFromPtr(void*) const override { return cuda(standin::current_device); }
};

}  // namespace standin
