// The order in which `calibrate` measures.
#include "apps/tilewright/calibration/calibration.h"
#include <gtest/gtest.h>
#include <set>

namespace tilewright::app {
namespace {

TEST(CallsToMeasure, BeginWithOneOfEachOperator) {
    std::vector<const Operator *> all;
    std::set<std::string> names, first;
    for (const Operator *op : operators()) {
        all.push_back(op);
        names.insert(op->name());
    }
    const std::vector<MeasuredCall> calls = calls_to_measure(all, {});
    ASSERT_GE(calls.size(), all.size());
    for (size_t i = 0; i < all.size(); i++) {
        first.insert(calls[i].op->name());
        EXPECT_EQ(calls[i].size, workload_of(*calls[i].op).sizes_to_measure().front());
    }
    EXPECT_EQ(first, names);
}

TEST(CallsToMeasure, AreThoseOfAllSizesAndTypes) {
    for (const Operator *op : operators()) {
        std::set<std::string> types, listed;
        size_t sizes = 0;
        const std::vector<MeasuredCall> calls = calls_to_measure({op}, {});
        for (size_t i = 0; i < calls.size(); i++) {
            types.insert(calls[i].type);
            sizes += i == 0 || calls[i].size != calls[i - 1].size;
        }
        for (const Variant &variant : op->variants()) {
            if (variant.backend == Backend::cpu && variant.belongs_to("tuned") &&
                why_not_on(variant, Device{}).empty()) {
                listed.insert(variant.type);
            }
        }
        EXPECT_EQ(types, listed) << op->name();
        EXPECT_GE(sizes, 2u) << op->name();
        EXPECT_LE(sizes, workload_of(*op).sizes_to_measure().size()) << op->name();
    }
}

}  // namespace
}  // namespace tilewright::app
