// Output files are whole or absent: when they are complete, given up, interrupted by a signal, or too large
// for the disk.
#include "tests/runtime/files/files_test.h"
#include "tests/support/arrays.h"
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

namespace tilewright {
namespace {

TEST_F(FilesTest, AnOutputAppearsWhenItIsComplete) {
    both_ways([&](bool unnamed) {
        const std::string path = folder.file("out");
        for (const bool has_older : {false, true}) {
            if (has_older) {
                write_bytes(path, older);
            }
            OutputFile file(path);
            write(file);
            EXPECT_EQ(fs::exists(path), has_older);
            if (has_older) {
                EXPECT_EQ(read_bytes(path), older);
            }
            const Names names = folder.names();
            EXPECT_EQ(names.size(), size_t(has_older ? 1 : 0) + size_t(unnamed ? 0 : 1));
            EXPECT_EQ(!names.empty() && names.front().starts_with(".tilewright-"), !unnamed);
            file.commit();
            EXPECT_EQ(read_bytes(path), newer);
            EXPECT_EQ(folder.names(), Names{"out"});
            file.commit();  // again is nothing
            EXPECT_EQ(read_bytes(path), newer);
        }
        fs::remove(path);
    });
}

// A file that its owner alone may read stays his alone, and a new one is as umask says.
TEST_F(FilesTest, AnExecutableOutputIsRunByWhoMayReadIt) {
    both_ways([&](bool) {
        const std::string path = folder.file("out");
        for (const auto &[older_mode, mode] :
            {std::pair<mode_t, mode_t>(0, 0750), {0600, 0700}, {0664, 0775}}) {
            if (older_mode != 0) {
                write_bytes(path, older);
                ASSERT_EQ(chmod(path.c_str(), older_mode), 0);
            }
            const mode_t before = umask(027);
            OutputFile file(path);
            umask(before);
            write(file);
            file.make_executable();
            file.commit();
            EXPECT_EQ(about(path).st_mode & 07777, mode);
            fs::remove(path);
        }
    });
}

TEST_F(FilesTest, AnOutputThatIsGivenUpLeavesNothing) {
    both_ways([&](bool) {
        const std::string path = folder.file("out");
        write_bytes(path, older);
        for (const bool appears : {false, true}) {
            OutputFile file(path);
            write(file);
            if (appears) {
                file.appear();
                EXPECT_EQ(folder.names().size(), 2u);
            }
        }
        EXPECT_EQ(folder.names(), Names{"out"});
        EXPECT_EQ(read_bytes(path), older);
    });
}

TEST_F(FilesTest, AFullDiskLeavesTheOlderFile) {
    const std::string png = folder.file("out.png"), npy = folder.file("out.npy");
    write_bytes(png, older);
    write_bytes(npy, older);
    const int status = in_child([&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit = {20000, 20000};  // bytes a file
        setrlimit(RLIMIT_FSIZE, &limit);
        const Array image = random_array<uint8_t>({400, 400});
        int refused = 0;
        for (const std::string &path : {png, npy}) {
            try {
                write_array(path, image);
            } catch (const Error &error) {
                const bool says_why =
                    std::string(error.what()).find("File too large; raise the limit") != std::string::npos;
                refused += error.fault() == Fault::failed && says_why ? 1 : 0;
            }
        }
        _exit(refused);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_EQ(read_bytes(png), older);
    EXPECT_EQ(read_bytes(npy), older);
    EXPECT_EQ(folder.names(), (Names{"out.npy", "out.png"}));
}

TEST_F(FilesTest, APipeWithoutAReaderIsAnError) {
    const std::string path = folder.file("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int status = in_child([&] {
        signal(SIGPIPE, SIG_IGN);
        const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
        OutputFile file(path);
        close(reader);
        const Bytes much(100000);
        EXPECT_FALSE(file.write(much.data(), much.size()));
        expect_error(
            Fault::failed, "Broken pipe; keep the program at its other end running", [&] { file.fail(); });
        _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_EQ(status, 0);
}

TEST_F(FilesTest, ASignalsHandlerRemovesWhatIsPending) {
    both_ways([&](bool) {
        write_bytes(folder.file("a"), older);
        const int status = in_child([&] {
            signal(SIGTERM, [](int number) {
                remove_pending_outputs();
                _exit(128 + number);
            });
            OutputFile a(folder.file("a")), b(folder.file("b")), c(folder.file("c")), d(folder.file("d"));
            write(a);
            write(b);
            c.commit();
            d.appear();
            raise(SIGTERM);
        });
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 143);
        EXPECT_EQ(folder.names(), (Names{"a", "c"}));
        EXPECT_EQ(read_bytes(folder.file("a")), older);
        fs::remove(folder.file("c"));
    });
}

TEST_F(FilesTest, AProcessThatIsKilledLeavesNothing) {
    if (!knows_unnamed_files(folder.path())) {
        GTEST_SKIP() << "not run here: this file system has no files without a name";
    }
    write_bytes(folder.file("a"), older);
    const int status = in_child([&] {
        OutputFile a(folder.file("a")), b(folder.file("b"));
        write(a);
        write(b);
        raise(SIGKILL);
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(folder.names(), Names{"a"});
    EXPECT_EQ(read_bytes(folder.file("a")), older);
}

TEST_F(FilesTest, RemovingWhatIsPendingTwiceOrNotAtAllIsHarmless) {
    both_ways([&](bool) {
        remove_pending_outputs();
        auto file = std::make_unique<OutputFile>(folder.file("a"));
        file->appear();
        EXPECT_EQ(folder.names().size(), 1u);
        remove_pending_outputs();
        remove_pending_outputs();
        EXPECT_EQ(folder.names(), Names{});
        expect_error(Fault::failed, "cannot write", [&] { file->commit(); });
        file.reset();
        OutputFile next(folder.file("b"));
        next.commit();
        remove_pending_outputs();
        EXPECT_EQ(folder.names(), Names{"b"});
        fs::remove(folder.file("b"));
    });
}

}  // namespace
}  // namespace tilewright
