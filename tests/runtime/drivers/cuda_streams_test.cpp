// Streams and page-locked memory against the fake libcuda.so.1: what goes to which stream of the driver, what
// is waited for, and what is locked.
#include "runtime/arrays/storage.h"
#include "runtime/devices/calls/hooks.h"
#include "runtime/devices/own_queue.h"
#include "runtime/devices/thread_context.h"
#include "tests/runtime/drivers/any_operator.h"
#include "tests/runtime/drivers/fakes/fakes.h"
#include "tilewright/stream.h"
#include <barrier>
#include <optional>
#include <set>

namespace tilewright {

namespace {

using fake_cuda::record;

const Device first{Backend::cuda, 0}, second{Backend::cuda, 1};

class CudaStreams : public testing::Test {
protected:
    void SetUp() override {
        devices(Backend::cuda);
        record();
    }
    void TearDown() override {
        EXPECT_EQ(record().wrong_context, 0);
    }
    const AnyOperator any{Backend::cuda};
};

// The address of an array's memory on a device, which the array's end gives back.
uint64_t address_on(Device device, int64_t bytes) {
    const Array array(Type::u8, {bytes});
    array.sync(device);
    return array.storage()->flat().device;
}

}  // namespace

// Three calls that wait for each other inside the stream run at the same time, each in a stream of its own.
TEST_F(CudaStreams, EachCallHasAStreamToItself) {
    ASSERT_TRUE(any.op);
    any.run(first);
    const fake_cuda::Record before = record();
    std::barrier all_inside(3);
    {
        Stream stream(first, 3);
        std::vector<std::future<Array>> results;
        for (int i = 0; i < 3; i++) {
            results.push_back(stream.start([&](const Call &call) {
                all_inside.arrive_and_wait();
                Array output;
                (*any.op)(any.sample.inputs, output, any.sample.settings, call);
                return output;
            }));
        }
        for (auto &result : results) {
            EXPECT_FALSE(result.get().empty());
        }
        EXPECT_EQ(record().streams - before.streams, 3);
    }
    std::set<const void *> streams;
    for (size_t i = before.launches.size(); i < record().launches.size(); i++) {
        EXPECT_EQ(record().launches[i].device, 0);
        streams.insert(record().launches[i].stream);
    }
    for (size_t i = before.graph_launches.size(); i < record().graph_launches.size(); i++) {
        streams.insert(record().graph_launches[i].stream);  // of a call like the ones before
    }
    EXPECT_EQ(streams.size(), 3u);
    EXPECT_EQ(streams.count(nullptr), 0u);
    ASSERT_EQ(record().copy_streams.size() - before.copy_streams.size(), 3u) << "the results are on the host";
    for (size_t i = before.copy_streams.size(); i < record().copy_streams.size(); i++) {
        EXPECT_EQ(streams.count(record().copy_streams[i]), 1u);
    }
    EXPECT_GE(record().stream_waits - before.stream_waits, 6) << "kernels and copies are waited for";
}

TEST_F(CudaStreams, StreamsOfTheDriverAreUsedAgain) {
    {
        const Stream stream(first, 2);
    }
    const int made = record().streams;
    for (int i = 0; i < 5; i++) {
        const Stream stream(first, 2);
    }
    EXPECT_EQ(record().streams, made);
    const Stream other(second, 2);
    EXPECT_EQ(record().streams, made + 2) << "another device has its own";
}

TEST_F(CudaStreams, CallsOutsideAreWaitedForWhileAStreamLives) {
    ASSERT_TRUE(any.op);
    any.run(first);
    const int before = record().stream_waits;
    any.run(first);
    EXPECT_EQ(record().stream_waits, before) << "without a stream a call returns at once";
    std::optional<Stream> stream(std::in_place, first, 1);
    const int with_stream = record().stream_waits;
    any.run(first);
    EXPECT_GT(record().stream_waits, with_stream);
    EXPECT_EQ(record().launches.back().stream, nullptr);
    stream.reset();
    const int after = record().stream_waits;
    any.run(first);
    EXPECT_EQ(record().stream_waits, after);
}

// Halide frees what is between two kernels while they are still running.
TEST_F(CudaStreams, MemoryThatIsKeptStaysWithItsStream) {
    constexpr int64_t bytes = 12345600;
    const uint64_t outside = address_on(first, bytes);
    const driver::OwnQueue one(first), two(first);
    uint64_t in_one = 0;
    {
        const driver::ScopedValue here(driver::this_thread.queue, &one);
        in_one = address_on(first, bytes);
        EXPECT_NE(in_one, outside);
        EXPECT_EQ(address_on(first, bytes), in_one);
    }
    {
        const driver::ScopedValue here(driver::this_thread.queue, &two);
        EXPECT_NE(address_on(first, bytes), in_one);
        EXPECT_NE(address_on(first, bytes), outside);
    }
    EXPECT_EQ(address_on(first, bytes), outside);
}

TEST_F(CudaStreams, ErrorsAreInTheFutureAndInWait) {
    ASSERT_TRUE(any.op);
    Stream stream(first);
    const auto refuse_memory =
        reinterpret_cast<void (*)(bool)>(fake_cuda::exported("fake_cuda_refuse_memory"));
    trim_device_memory();
    refuse_memory(true);
    const Array unseen(any.sample.inputs[0].clone());
    std::vector<Array> inputs = any.sample.inputs;
    inputs[0] = unseen;
    std::future<Array> result = stream.start(*any.op, inputs, any.sample.settings);
    EXPECT_EQ(error_of([&] { result.get(); }).fault(), Fault::memory);
    refuse_memory(false);
    EXPECT_EQ(error_of([&] { stream.wait(); }).fault(), Fault::memory);
    EXPECT_NO_THROW(stream.wait()) << "an error is said once";
    EXPECT_NO_THROW(stream.start(*any.op, inputs, any.sample.settings).get());
}

TEST_F(CudaStreams, PinnedArraysAreLockedAndKept) {
    const int before = record().locks;
    const void *memory = nullptr;
    {
        const Array array = Array::pinned(Type::f32, {300, 400});
        memory = array.data();
        ASSERT_EQ(record().locked.count(memory), 1u);
        EXPECT_GE(record().locked.at(memory), 300u * 400 * 4);
    }
    EXPECT_EQ(record().locked.count(memory), 1u) << "it is kept";
    EXPECT_EQ(Array::pinned(Type::f32, {300, 400}).data(), memory);
    EXPECT_EQ(record().locks, before + 1);
    EXPECT_EQ(record().locked.count(Array(Type::f32, {300, 400}).data()), 0u);
    const Array small = Array::pinned(Type::u8, {5});
    EXPECT_EQ(record().locked.count(small.data()), 1u) << "small arrays, too";
    trim_host_memory();
    EXPECT_EQ(record().locked.count(memory), 0u);
    EXPECT_EQ(record().locked.size(), 1u);
}

TEST_F(CudaStreams, WhereNothingIsLockedMemoryIsOrdinary) {
    trim_host_memory();
    setenv("FAKE_CUDA_LOCKS_NOTHING", "1", 1);
    Array array = Array::pinned(Type::u8, {1000, 1000});
    unsetenv("FAKE_CUDA_LOCKS_NOTHING");
    array.as<uint8_t>()[0] = 7;
    array.sync(first);
    EXPECT_EQ(array.at<uint8_t>({0, 0}), 7);
    array = Array();
    trim_host_memory();
}

TEST_F(CudaStreams, ResultsOfStreamsArePinned) {
    ASSERT_TRUE(any.op);
    Stream stream(first);
    const Array result = stream.start(*any.op, any.sample.inputs, any.sample.settings).get();
    EXPECT_EQ(record().locked.count(result.data()), 1u);
}

// Another library's stream is before and behind the calls, and the host does not wait.
TEST_F(CudaStreams, ACallersStreamIsJoined) {
    ASSERT_TRUE(any.op);
    any.run(second);
    int stream = 0;  // its address stands for a stream
    const fake_cuda::Record before = record();
    {
        const JoinedStream joined(second, &stream);
        any.run(second);
    }
    const fake_cuda::Record &after = record();
    ASSERT_GT(after.launches.size(), before.launches.size());
    ASSERT_EQ(after.orders.size(), before.orders.size() + 2);
    const fake_cuda::Order *orders = after.orders.data() + before.orders.size();
    EXPECT_EQ(orders[0].before, &stream);
    EXPECT_EQ(orders[0].after, nullptr);
    EXPECT_EQ(orders[0].launches, before.launches.size());
    EXPECT_EQ(orders[1].before, nullptr);
    EXPECT_EQ(orders[1].after, &stream);
    EXPECT_EQ(orders[1].launches, after.launches.size());
    EXPECT_EQ(after.stream_waits, before.stream_waits);
}

TEST_F(CudaStreams, TheDefaultStreamIsNotJoined) {
    ASSERT_TRUE(any.op);
    any.run(first);
    const size_t before = record().orders.size();
    {
        const JoinedStream none(first, nullptr);
        const JoinedStream legacy(first, reinterpret_cast<void *>(1));
        any.run(first);
    }
    EXPECT_EQ(record().orders.size(), before);
}

// A pointer anywhere in an allocation: the storage begins at a multiple of 256 bytes, the array at the
// pointer.
TEST_F(CudaStreams, PointersOfAnotherLibraryAreUsedInPlace) {
    ASSERT_TRUE(any.op);
    std::vector<Array> owners, wrapped;
    for (const Array &input : any.sample.inputs) {
        owners.push_back(input.clone(0));
        owners.back().sync(first);
        const uint64_t pointer = owners.back().storage()->flat().device;
        wrapped.push_back(Array::wrap(input.type(), first, pointer, input.shape()));
        EXPECT_EQ(wrapped.back().newest_on(), first);
        EXPECT_EQ(wrapped.back().device_memory(), pointer);
        const Array part = Array::wrap(Type::u8, first, pointer + 259, {3});
        EXPECT_EQ(part.device_memory(), pointer + 259);
        EXPECT_EQ(part.offset_bytes(), 3);
        EXPECT_TRUE(part.overlaps(wrapped.back()));
    }
    const fake_cuda::Record before = record();
    Array output;
    (*any.op)(wrapped, output, any.sample.settings, {.device = first});
    EXPECT_EQ(record().copies_to_device, before.copies_to_device);
    wrapped.clear();
    EXPECT_EQ(record().released, before.released);  // the memory is its owner's
    expect_error(Fault::usage, "another library's memory", [&] {
        Array elsewhere = Array::wrap(Type::u8, first, owners[0].storage()->flat().device, {64});
        elsewhere.sync(second);
    });
}

}  // namespace tilewright
