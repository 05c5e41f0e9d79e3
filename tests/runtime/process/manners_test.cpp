// The manners of a library: it prints nothing, leaves signals alone, reads and writes numbers the same way in
// every locale, and shares a process with another library of ours. What it never calls is a test of its
// objects (tests/build/manners_test.cmake).
#include "tests/support/operators.h"
#include "tilewright/error.h"
#include "tilewright/files.h"
#include "tilewright/pipeline.h"
#include <array>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <locale>
#include <set>
#include <sstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// A folder of its own, which ends with the test.
class Manners : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "manners-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override {
        fs::remove_all(folder_);
    }

    // A call, a file of its result, an option's value and an error, in the words of people.
    std::string words() const {
        Array image(Type::f32, {2, 3}), blurred;
        for (int i = 0; i < 3; i++) {
            image.as<float>()[i] = 1.5f + (float)i / 3;
        }
        const Pipeline pipeline("gaussian_blur sigma=1.25");
        pipeline(image, blurred, {.device = Device{}});
        const std::string path = folder_ / "numbers.csv";
        write_array(path, blurred);
        std::stringstream said;
        said.imbue(std::locale::classic());
        said << std::ifstream(path).rdbuf();
        const Array back = read_array(path);
        said << "\n" << back.as<double>()[1] << "\n";
        try {
            Pipeline("gaussian_blur sigma=1,25");
        } catch (const Error &error) {
            said << error.what();
        }
        return said.str();
    }

    fs::path folder_;
};

TEST_F(Manners, NothingIsPrinted) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const std::string said = words();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_NE(said.find("1,25"), said.npos) << said;
}

// What the process does at each signal, and the signals that this thread blocks.
struct Signals {
    std::array<struct sigaction, 65> actions = {};
    sigset_t blocked;

    Signals() {
        for (int signal = 1; signal < 65; signal++) {
            sigaction(signal, nullptr, &actions[(size_t)signal]);
        }
        sigemptyset(&blocked);
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    }

    // Those that are another one's now.
    std::set<int> changed_since(const Signals &before) const {
        std::set<int> changed;
        for (int signal = 1; signal < 65; signal++) {
            if (actions[(size_t)signal].sa_handler != before.actions[(size_t)signal].sa_handler ||
                sigismember(&blocked, signal) != sigismember(&before.blocked, signal)) {
                changed.insert(signal);
            }
        }
        return changed;
    }
};

TEST_F(Manners, SignalsStayAsTheyAre) {
    const Signals before;
    words();
    EXPECT_EQ(Signals().changed_since(before), std::set<int>());
    // Drivers start, which may take the faults alone (runtime/process/kept_signals.h).
    devices();
    for (const int signal : Signals().changed_since(before)) {
        EXPECT_TRUE((std::set{SIGILL, SIGABRT, SIGFPE, SIGBUS, SIGSEGV}.contains(signal))) << signal;
    }
}

// A decimal comma and dots between thousands, in the C library and in streams of C++.
TEST_F(Manners, AnotherLocaleChangesNothing) {
    const std::string in_c = words();
    const fs::path source = folder_ / "source";
    std::ofstream(source)
        << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    const std::string make = "localedef -c -f ANSI_X3.4-1968 -i '" + source.string() + "' '" +
                             (folder_ / "comma").string() + "' 2>/dev/null";
    // NOLINTNEXTLINE(bugprone-command-processor): all of its words are those of this test
    [[maybe_unused]] const int made = std::system(make.c_str());  // it warns of other categories, and ends
                                                                  // with 1
    setenv("LOCPATH", folder_.c_str(), 1);
    if (!setlocale(LC_NUMERIC, "comma")) {
        unsetenv("LOCPATH");
        GTEST_SKIP() << "not run here: localedef makes no locale";
    }
    struct German : std::numpunct<char> {
        char do_decimal_point() const override {
            return ',';
        }
        std::string do_grouping() const override {
            return "\3";
        }
    };
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new German));
    setlocale(LC_NUMERIC, "comma");
    EXPECT_STREQ(localeconv()->decimal_point, ",");
    EXPECT_EQ(words(), in_c);
    std::locale::global(before);
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

#ifdef TILEWRIGHT_TESTS_SHARED
// This program has a copy of the library with all operators, and loads one with a single operator.
TEST_F(Manners, TwoLibrariesOfOursKeepApart) {
    void *library = dlopen(TILEWRIGHT_TESTS_SHARED, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto others =
        (const std::vector<const Operator *> &(*)())dlsym(library, "_ZN10tilewright9operatorsEv");
    ASSERT_NE(others, nullptr) << dlerror();
    ASSERT_EQ(others().size(), 1u);
    EXPECT_EQ(others().front()->name(), "invert");
    EXPECT_GT(operators().size(), 1u);
    Array image(Type::u8, {5, 7}), theirs, ours;
    (*others().front())({&image, 1}, theirs, {}, {.device = Device{}});
    find_operator("invert")({&image, 1}, ours, {}, {.device = Device{}});
    EXPECT_EQ(theirs.as<uint8_t>()[0], 255);
    EXPECT_EQ(ours.as<uint8_t>()[0], 255);
}
#endif

}  // namespace
}  // namespace tilewright
