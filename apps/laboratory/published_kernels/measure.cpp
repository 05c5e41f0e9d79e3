// Batches of calls between two events.
#include "apps/laboratory/published_kernels/measure.h"
#include "apps/laboratory/published_kernels/device.h"
#include <algorithm>

namespace published {

namespace {

class Event {
public:
    Event() {
        check(cudaEventCreate(&event_), "event");
    }
    ~Event() {
        cudaEventDestroy(event_);
    }
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;

    void record() {
        check(cudaEventRecord(event_), "event");
    }
    double ms_since(const Event &start) const {
        check(cudaEventSynchronize(event_), "kernel");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, start.event_, event_), "time between events");
        return ms;
    }

private:
    cudaEvent_t event_ = nullptr;
};

// Milliseconds per call.
double batch_ms(Problem &problem, size_t &next, int calls) {
    Event start, end;
    start.record();
    for (int i = 0; i < calls; i++) {
        problem.start(next++);
    }
    end.record();
    check(cudaGetLastError(), "launch");
    return end.ms_since(start) / calls;
}

// Interpolated between the two nearest samples.
double quantile(const std::vector<double> &sorted, double share) {
    const double place = share * (double)(sorted.size() - 1);
    const auto below = (size_t)place;
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

}  // namespace

Times measure(Problem &problem, const Plan &plan) {
    problem.spoil();
    size_t warm = 0;
    batch_ms(problem, warm, 1);
    const double calls = plan.limit_s * 1000 / std::max(1e-3, batch_ms(problem, warm, 1));
    Times times;
    times.batch = (int)std::clamp(calls / plan.repeats, 1., (double)plan.batch);
    times.repeats = (int)std::clamp(calls / times.batch, 3., (double)plan.repeats);
    problem.spoil();
    std::vector<double> ms;
    for (int i = 0; i < times.repeats; i++) {
        ms.push_back(batch_ms(problem, times.calls, times.batch));
    }
    std::sort(ms.begin(), ms.end());
    times.median = quantile(ms, .5);
    times.p10 = quantile(ms, .1);
    times.p90 = quantile(ms, .9);
    return times;
}

}  // namespace published
