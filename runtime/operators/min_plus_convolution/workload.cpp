// The workload of min_plus_convolution: vectors of several kinds, by which the pruned form has little or much
// to do.
#include "tilewright/workload.h"
#include "runtime/operators/min_plus_convolution/problem.h"
#include "runtime/operators/min_plus_convolution/workload_data.h"
#include <fmt/format.h>
#include <tuple>

namespace tilewright {

namespace {

class MinPlusWorkload : public Workload {
public:
    using Workload::Workload;

    std::vector<Sample> samples(const std::string &type) const override {
        const std::tuple<int64_t, int64_t, const char *> sizes[] = {{1, 1, "uniform"}, {1, 300, "few"},
            {300, 1, "absent"}, {37, 101, "gaussian"}, {255, 256, "zeros"}, {257, 255, "walk"},
            {511, 513, "absent"}, {1009, 1021, "nothing"}, {700, 3001, "sorted"}, {3001, 700, "denormals"},
            {2048, 2048, "uniform"}, {2049, 2047, "few"}, {1537, 2500, "falling"}, {2500, 1537, "huge"},
            {2053, 1999, "convex"}};
        std::vector<Sample> all;
        for (const auto &[n, m, kind] : sizes) {
            // Where denormals count as 0 they are another sample.
            all.push_back(
                sample(type, n, m, std::string(kind) == "denormals" && type == "f32" ? "zeros" : kind));
        }
        Sample part = sample(type, 1500, 1700, "gaussian");
        part.settings.set("length", 1601.);
        part.what += " length 1601";
        all.push_back(part);
        Sample accumulating = sample(type, 1300, 900, "walk");
        accumulating.inputs.push_back(
            min_plus_vector(accumulating.inputs[0].type(), 1300 + 900 - 1, "walk", 3));
        accumulating.what += " accumulated";
        all.push_back(accumulating);
        return all;
    }

    // The first w entries of the convolution of two vectors of w, or so many as "length" says; "length" =
    // "all" has all of them. "data" says what is in the vectors.
    Sample benchmark_sample(const std::string &type, DataSize size, const Settings &settings) const override {
        const int64_t w = size.width;
        Sample timed = sample(type, w, w, settings.text("data", "uniform"));
        const auto given = settings.all().find("length");
        if (given == settings.all().end()) {
            timed.settings.set("length", (double)w);
        } else if (const double *length = std::get_if<double>(&given->second)) {
            timed.settings.set("length", *length);
            timed.what += fmt::format(" length {}", *length);
        } else {
            timed.what += ", all entries";
        }
        return timed;
    }
    std::vector<DataSize> sizes_to_measure() const override {
        return {{100, 1}, {1000, 1}, {5000, 1}, {20000, 1}, {100000, 1}};
    }
    DataSize benchmark_size() const override {
        return {100000, 1};
    }
    std::vector<Settings> benchmark_settings(const std::string &type) const override {
        std::vector<Settings> all = {{{"data", "uniform"}}};
        if (type == "f64") {
            for (const char *kind : {"gaussian", "walk", "sorted"}) {
                all.push_back({{"data", kind}});
            }
            all.push_back({{"data", "uniform"}, {"length", "all"}});
        }
        return all;
    }

    // A sum and a comparison a pair.
    Work work(std::span<const Array> inputs, const Array &output, const Settings &settings) const override {
        Work work = Workload::work(inputs, output, settings);
        work.flops = 2 * MinPlusRequest(inputs, output.size()).pairs();
        return work;
    }

private:
    static Sample sample(const std::string &type, int64_t n, int64_t m, const std::string &kind) {
        const Type element = type == "f64" ? Type::f64 : type == "f32" ? Type::f32 : Type::i32;
        const std::string size = n == m ? std::to_string(n) : fmt::format("{}+{}", n, m);
        return {{min_plus_vector(element, n, kind, 1), min_plus_vector(element, m, kind, 2)}, {},
            fmt::format("{} {} {}", type, size, kind)};
    }
};

}  // namespace

std::unique_ptr<Workload> min_plus_convolution_workload(const Operator &op) {
    return std::make_unique<MinPlusWorkload>(op);
}

}  // namespace tilewright
