// Instructions by which kernels may start before the one in front of them has ended.
#include "generators/algorithms/early_starts.h"
#include <gtest/gtest.h>
#include <string>

namespace tilewright {
namespace {

const std::string function = ".func slow(\n)\n{\n\tret;\n}\n",
                  kernel = ".visible .entry _kernel_out()\n.maxnreg 96\n{\n\tret;\n}\n",
                  waiting =
                      ".visible .entry _kernel_out()\n.maxnreg 96\n{\n\tgriddepcontrol.wait;\n\tret;\n}\n";

std::string module_of(const std::string &version, const std::string &target, const std::string &rest) {
    return "//\n.version " + version + "\n.target " + target + "\n.address_size 64\n" + rest;
}

TEST(EarlyStarts, EachKernelOfANewDeviceWaitsFirst) {
    const std::string text = module_of("7.0", "sm_80", function + kernel + kernel);
    EXPECT_EQ(with_early_starts(text, 90), module_of("7.8", "sm_90", function + waiting + waiting));
    EXPECT_EQ(with_early_starts(text, 120), with_early_starts(text, 90));
    EXPECT_EQ(with_early_starts(text, 89), text);
}

TEST(EarlyStarts, NewerTextKeepsItsTarget) {
    EXPECT_EQ(with_early_starts(module_of("8.0", "sm_90a", kernel), 90), module_of("8.0", "sm_90a", waiting));
}

TEST(EarlyStarts, ATextWithoutBodiesComesBack) {
    const std::string text = module_of("8.0", "sm_90", ".entry a()\n.entry b()");
    EXPECT_EQ(with_early_starts(text, 90), text);
}

}  // namespace
}  // namespace tilewright
