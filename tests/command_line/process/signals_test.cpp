// What the program leaves when a signal ends it, and what it says when a limit does: the built program is
// run, and gets the signal at a chosen call of its own (at_call.cpp).
#include "runtime/process/kept_signals.h"
#include "tests/command_line/error_line.h"
#include "tests/support/arrays.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tilewright/files.h"
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class Signals : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directory(folder.file("files"));
        write_random(folder.file("in.npy"), 200);
        if (run({"transpose", "--help"}).code != 0) {
            GTEST_SKIP() << "this build has no operator transpose";
        }
        write_bytes(out("png"), older);
    }

    // A square image that no format makes smaller.
    static void write_random(const std::string &path, int64_t side) {
        write_array(path, random_array<uint8_t>({side, side}));
    }

    std::string out(const std::string &ending) const {
        return folder.file("files/out." + ending);
    }

    // The folder of the outputs, which has nothing else in it.
    Names files() const {
        return names_in(folder.file("files"));
    }

    static Ran run(const Words &arguments, const Words &environment = {},
        const std::function<void()> &prepare = nullptr) {
        return run_program(TILEWRIGHT_APP, arguments, {.environment = environment, .prepare = prepare});
    }

    // Transposes to out.png, and gets the signal at a call on the way.
    Ran transpose_with(int signal, const std::string &call, const std::string &device, bool named,
        const std::function<void()> &prepare = nullptr) const {
        Words environment = {"LD_PRELOAD=" TILEWRIGHT_AT_CALL, "ASAN_OPTIONS=verify_asan_link_order=0",
            "TILEWRIGHT_TEST_CALL=" + call, "TILEWRIGHT_TEST_SIGNAL=" + std::to_string(signal)};
        if (named) {
            environment.push_back("TILEWRIGHT_TEST_NAMED=1");
        }
        if (device == "cpu") {
            environment.push_back("OCL_ICD_VENDORS=/nonexistent");
        }
        return run(
            {"transpose", folder.file("in.npy"), out("png"), "--device", device}, environment, prepare);
    }

    bool has_unnamed_files() const {
        return knows_unnamed_files(folder.path());
    }

    static void expect_one_line(const Ran &ran, const Words &words) {
        EXPECT_EQ(ran.code, 1) << ran.err;
        expect_error_line(ran.err, words);
    }

    TestFolder folder;
    const Bytes older = bytes_of("the older file");
};

const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

TEST_F(Signals, NothingIsLeftOfAnOutputThatIsNotComplete) {
    for (const int signal : ending_signals) {
        for (const bool named : {false, true}) {
            for (const char *call : {"fwrite", "linkat", "renameat"}) {
                if (named && std::string(call) == "linkat") {
                    continue;  // it is not called then
                }
                SCOPED_TRACE(std::string(strsignal(signal)) + " at " + call +
                             (named ? ", with a temporary name" : ""));
                const Ran ran = transpose_with(signal, call, "cpu", named || !has_unnamed_files());
                EXPECT_EQ(ran.code, 128 + signal) << ran.err;
                EXPECT_EQ(ran.err, "");
                EXPECT_EQ(files(), Words{"out.png"});
                EXPECT_EQ(read_bytes(out("png")), older);
            }
        }
    }
}

TEST_F(Signals, NothingIsLeftByAProgramThatIsKilled) {
    if (!has_unnamed_files()) {
        GTEST_SKIP() << "not run here: this file system has no files without a name";
    }
    const Ran ran = transpose_with(SIGKILL, "fwrite", "cpu", false);
    EXPECT_EQ(ran.code, -SIGKILL);
    EXPECT_EQ(files(), Words{"out.png"});
    EXPECT_EQ(read_bytes(out("png")), older);
}

class BandsOf : public Signals, public testing::WithParamInterface<const char *> {
protected:
    void SetUp() override {
        Signals::SetUp();
        if (run({"gaussian_blur", "--help"}).code != 0) {
            GTEST_SKIP() << "this build has no operator gaussian_blur";
        }
        fs::remove(out("png"));
        write_random(in, 1500);
        write_bytes(result, older);
    }

    Ran blur(const Words &environment = {}, const std::function<void()> &prepare = nullptr) const {
        return run({"gaussian_blur", in, result, "--sigma", "1", "--device", "cpu", "--memory", "400K"},
            environment, prepare);
    }

    void expect_older() const {
        EXPECT_EQ(files(), Words{std::string("out.") + GetParam()});
        EXPECT_EQ(read_bytes(result), older);
    }

    const std::string in = folder.file(std::string("in.") + GetParam()), result = out(GetParam());
};

TEST_P(BandsOf, AFileThatAreKilledInTheMiddleLeaveTheOlderFile) {
    for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
        if (signal == SIGKILL && !has_unnamed_files()) {
            continue;
        }
        const Ran ran = blur({"LD_PRELOAD=" TILEWRIGHT_AT_CALL, "ASAN_OPTIONS=verify_asan_link_order=0",
            "TILEWRIGHT_TEST_CALL=fwrite", "TILEWRIGHT_TEST_NTH=3",
            "TILEWRIGHT_TEST_SIGNAL=" + std::to_string(signal)});
        EXPECT_EQ(ran.code, signal == SIGKILL ? -SIGKILL : 128 + signal) << ran.err;
        expect_older();
    }
}

TEST_P(BandsOf, AFileOnADiskThatBecomesFullLeaveTheOlderFile) {
    const Ran ran = blur({}, [] {
        const rlimit limit = {800000, 800000};
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    expect_one_line(ran, {result, "File too large", "ulimit -f"});
    expect_older();
}

TEST_P(BandsOf, AFileThatBreaksInTheMiddleLeaveTheOlderFile) {
    Bytes bytes = read_bytes(in);
    bytes.resize(bytes.size() / 2);
    if (std::string(GetParam()) == "tif") {  // whose header is at its end
        bytes = read_bytes(in);
        std::fill_n(bytes.begin() + (ptrdiff_t)bytes.size() / 2, 100000, uint8_t{0});
    }
    write_bytes(in, bytes);
    const Ran ran = blur();
    EXPECT_EQ(ran.code, 3) << ran.err;
    expect_error_line(ran.err, {in});
    expect_older();
}

TEST_P(BandsOf, AFileSayTheMemoryThatWouldDo) {
    const auto blur_in = [&](const std::string &memory) {
        return run({"gaussian_blur", in, result, "--sigma", "40", "--device", "cpu", "--memory", memory});
    };
    const Ran refused = blur_in("20K");
    EXPECT_EQ(refused.code, 2);
    expect_error_line(
        refused.err, {"gaussian_blur: --memory: 20480 bytes are too few for one band", "M would do"});
    expect_older();
    const size_t end = refused.err.find(" would do"), begin = refused.err.rfind(' ', end - 1) + 1;
    EXPECT_EQ(blur_in(refused.err.substr(begin, end - begin)).code, 0);
    EXPECT_NE(read_bytes(result), older);
}

TEST_P(BandsOf, ATransposeLeaveTheOlderFileWhereTheirOwnHasNoRoom) {
    const Ran ran = run({"transpose", in, result, "--device", "cpu", "--memory", "2M"}, {}, [] {
        const rlimit limit = {800000, 800000};
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    expect_one_line(ran, {"cannot keep the transposed image", folder.file("files"), "free some space"});
    expect_older();
}

INSTANTIATE_TEST_SUITE_P(Signals, BandsOf, testing::Values("png", "tif", "npy"),
    [](const auto &info) { return std::string(info.param); });

// A driver that has LLVM in it takes over most of these when its platform is asked for.
TEST_F(Signals, ADriverDoesNotTakeThemOver) {
    if (run({"transpose", folder.file("in.npy"), out("npy"), "--device", "opencl"}).code != 0) {
        GTEST_SKIP() << "not run here: no usable opencl device";
    }
    fs::remove(out("npy"));
    for (const int signal : ending_signals) {
        SCOPED_TRACE(strsignal(signal));
        EXPECT_EQ(transpose_with(signal, "fwrite", "opencl", true).code, 128 + signal);
        EXPECT_EQ(files(), Words{"out.png"});
        EXPECT_EQ(read_bytes(out("png")), older);
    }
}

TEST_F(Signals, WhatWasIgnoredStaysIgnored) {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) {
        SCOPED_TRACE(strsignal(signal));
        write_bytes(out("png"), older);
        const Ran ran = transpose_with(signal, "fwrite", "cpu", false, [&] { ::signal(signal, SIG_IGN); });
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_NE(read_bytes(out("png")), older);
        EXPECT_EQ(files(), Words{"out.png"});
    }
}

TEST_F(Signals, AFileOverItsSizeLimitIsAnError) {
    write_random(folder.file("in.npy"), 2500);
    for (const char *device : {"cpu", "opencl"}) {
        for (const char *ending : {"png", "npy"}) {
            SCOPED_TRACE(std::string(device) + ", " + ending);
            const Ran ran =
                run({"transpose", folder.file("in.npy"), out(ending), "--device", device}, {}, [] {
                    const rlimit limit = {4000000, 4000000};
                    setrlimit(RLIMIT_FSIZE, &limit);
                });
            if (ran.code == 4) {
                continue;  // no usable device
            }
            expect_one_line(ran, {out(ending), "File too large", "ulimit -f"});
            EXPECT_EQ(files(), Words{"out.png"});
            EXPECT_EQ(read_bytes(out("png")), older);
        }
    }
}

TEST_F(Signals, APipeWithoutAReaderIsAnError) {
    const std::string pipe = folder.file("pipe.npy");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    // It reads one byte of the output, which is more than a pipe holds.
    write_random(folder.file("in.npy"), 1000);
    std::thread reader([&] {
        const int file = ::open(pipe.c_str(), O_RDONLY);
        char byte = 0;
        EXPECT_EQ(read(file, &byte, 1), 1);
        close(file);
    });
    const Ran ran = run({"transpose", folder.file("in.npy"), pipe, "--device", "cpu"});
    reader.join();
    expect_one_line(ran, {pipe, "Broken pipe", "keep the program at its other end running"});
}

// As `tilewright list | head -3` leaves it.
TEST_F(Signals, AStandardOutputWithoutAReaderEndsItWithoutAWord) {
    const Ran ran = run({"list"}, {}, [] {
        int ends[2] = {};
        if (pipe(ends) == 0) {
            dup2(ends[1], 1);
            close(ends[0]);
            close(ends[1]);
        }
    });
    EXPECT_EQ(ran.code, 128 + SIGPIPE);
    EXPECT_EQ(ran.err, "");
}

TEST(KeptSignals, AreAsTheyWereBefore) {
    const auto handler_of = [](int number) {
        struct sigaction action = {};
        sigaction(number, nullptr, &action);
        return action.sa_handler;
    };
    void (*const ours)(int) = [](int) {};
    void (*const theirs)(int) = [](int) {};
    const auto term = signal(SIGTERM, ours), quit = signal(SIGQUIT, SIG_IGN), fpe = handler_of(SIGFPE);
    {
        const KeptSignals kept;
        for (const int number : {SIGTERM, SIGQUIT, SIGFPE}) {
            signal(number, theirs);
        }
        EXPECT_EQ(handler_of(SIGTERM), theirs);
    }
    EXPECT_EQ(handler_of(SIGTERM), ours);
    EXPECT_EQ(handler_of(SIGQUIT), SIG_IGN);
    EXPECT_EQ(handler_of(SIGFPE), theirs);  // of a fault: the driver's to keep
    signal(SIGTERM, term);
    signal(SIGQUIT, quit);
    signal(SIGFPE, fpe);
}

}  // namespace
}  // namespace tilewright
