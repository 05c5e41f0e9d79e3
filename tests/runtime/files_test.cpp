// Output files that are whole or absent, and arrays in files of either kind.
#include "tilewright/files.h"
#include "tests/files.h"
#include "runtime/files/output_file.h"
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <fcntl.h>
#include <functional>
#include <grp.h>
#include <new>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// --- what this program's system refuses, when a test asks for it -------------------------------------------------------------

namespace {

bool has_unnamed_files = true;  // O_TMPFILE, which not every file system knows
mode_t created_mode = 0;        // the permissions with which a file was last created

// A sanitizer's malloc must not be replaced.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_refuse_memory = false;
#else
constexpr bool can_refuse_memory = true;
#endif
thread_local int64_t mallocs_until_refusal = -1;  // of this thread; the one at 0 fails
thread_local bool was_refused = false;

}  // namespace

extern "C" {

int openat(int folder, const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        created_mode = mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if (!has_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t bytes);

void *malloc(size_t bytes) {
    if (mallocs_until_refusal >= 0 && mallocs_until_refusal-- == 0) {
        was_refused = true;
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_malloc(bytes);
}
#endif

}  // extern "C"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
protected:
    TemporaryFolder folder;
    const Bytes older = bytes_of("the older file"), newer = bytes_of("the newer one");

    void write(OutputFile &file) {
        ASSERT_TRUE(file.write(newer.data(), newer.size()));
    }

    ~FilesTest() override {
        has_unnamed_files = true;
    }

    // Whether files without a name can be made in the test's folder.
    bool knows_unnamed_files() const {
        const int file = ::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
        return file >= 0 && close(file) == 0;
    }

    // Calls `action` with a file system that knows files without a name, where this one does, and with one that does not.
    void both_ways(const std::function<void(bool unnamed)> &action) {
        for (const bool unnamed : {true, false}) {
            if (!unnamed || knows_unnamed_files()) {
                SCOPED_TRACE(unnamed ? "without a name" : "under a temporary name");
                has_unnamed_files = unnamed;
                action(unnamed);
                has_unnamed_files = true;
            }
        }
    }

    struct stat about(const std::string &path) {
        struct stat about = {};
        EXPECT_EQ(lstat(path.c_str(), &about), 0) << path;
        return about;
    }

    // Runs `action` in a process of its own; returns its status, as waitpid gives it.
    template<typename Action>
    int in_child(const Action &action) {
        const pid_t child = fork();
        if (child == 0) {
            action();
            _exit(0);
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        return status;
    }
};

using Names = std::vector<std::string>;

// --- output files ---------------------------------------------------------------------------------------------------------

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

TEST_F(FilesTest, AnOutputMayBeNamedFromTheWorkingFolder) {
    both_ways([&](bool) {
        const fs::path before = fs::current_path();
        fs::current_path(folder.path());
        {
            OutputFile file("out");
            write(file);
            fs::current_path(before);
            file.commit();
        }
        EXPECT_EQ(folder.names(), Names{"out"});
    });
}

TEST_F(FilesTest, AWorkingFolderMayBeDeeperThanAPathIsLong) {
    const int status = in_child([&] {
        const std::string name(250, 'd');
        int depth = 0;
        if (chdir(folder.path().c_str()) != 0) {
            _exit(1);
        }
        for (; depth < 20; depth++) {
            if (mkdir(name.c_str(), 0700) != 0 || chdir(name.c_str()) != 0) {
                _exit(2);
            }
        }
        const Array image(Type::u8, {3, 4});
        check_output("out.png");
        write_array("out.png", image);
        const bool is_right = read_array("out.png").shape() == image.shape() && same_file("absent", "./absent");
        unlink("out.png");
        for (; depth > 0; depth--) {
            if (chdir("..") != 0 || rmdir(name.c_str()) != 0) {
                _exit(3);
            }
        }
        _exit(is_right ? 0 : 4);
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(FilesTest, PermissionsAreTheUsersOrTheOlderFiles) {
    both_ways([&](bool) {
        const std::string path = folder.file("out");
        auto mode = [&] { return about(path).st_mode & 0777; };
        const mode_t before = umask(027);
        {
            OutputFile file(path);
            file.commit();
        }
        umask(0);
        EXPECT_EQ(mode(), 0640u);
        for (const mode_t older_mode : {0604, 0640, 0600}) {
            ASSERT_EQ(chmod(path.c_str(), older_mode), 0);
            OutputFile file(path);
            EXPECT_EQ(created_mode, 0600u) << "others could read it before it has the older file's permissions";
            file.commit();
            EXPECT_EQ(mode(), older_mode);
        }
        umask(before);
        fs::remove(path);
    });
}

TEST_F(FilesTest, TheOlderFilesOwnerStays) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "not run here: only root gives files away";
    }
    both_ways([&](bool) {
        const std::string path = folder.file("out");
        write_bytes(path, older);
        ASSERT_EQ(chown(path.c_str(), 1234, 5678), 0);
        ASSERT_EQ(chmod(path.c_str(), 0640), 0);
        OutputFile file(path);
        write(file);
        file.commit();
        EXPECT_EQ(read_bytes(path), newer);
        EXPECT_EQ(about(path).st_uid, 1234u);
        EXPECT_EQ(about(path).st_gid, 5678u);
        EXPECT_EQ(about(path).st_mode & 0777, 0640u);
    });
}

// Becomes a user without privileges, for good.
void become_nobody() {
    if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) {
        _exit(99);
    }
}

TEST_F(FilesTest, AGroupsPermissionsAreNotGivenToAnother) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "not run here: only root gives files away";
    }
    both_ways([&](bool) {
        const std::string path = folder.file("out");
        write_bytes(path, older);
        ASSERT_EQ(chown(path.c_str(), 0, 4321), 0);
        ASSERT_EQ(chmod(path.c_str(), 0662), 0);
        ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
        const int status = in_child([&] {
            become_nobody();
            OutputFile file(path);
            write(file);
            file.commit();
        });
        EXPECT_EQ(status, 0);
        EXPECT_EQ(read_bytes(path), newer);
        EXPECT_EQ(about(path).st_gid, 65534u);
        EXPECT_EQ(about(path).st_mode & 0777, 0622u);
        fs::remove(path);
    });
}

TEST_F(FilesTest, AnothersFileInAStickyFolderIsRefusedAtOnce) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "not run here: only root gives files away";
    }
    const std::string path = folder.file("out");
    write_bytes(path, older);
    ASSERT_EQ(chmod(path.c_str(), 0666), 0);
    ASSERT_EQ(chmod(folder.path().c_str(), 01777), 0);
    const int status = in_child([&] {
        become_nobody();
        expect_error(Fault::failed, "it is another user's, in a folder where only owners replace files", [&] { check_writable(path); });
        check_writable(folder.file("own"));
        _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_bytes(path), older);
    check_writable(path);  // root may
}

TEST_F(FilesTest, ALinkStaysAndItsFileIsReplaced) {
    both_ways([&](bool) {
        fs::create_directory(folder.file("there"));
        const std::string file = folder.file("there/file"), link = folder.file("link");
        write_bytes(file, older);
        fs::create_symlink("there/file", link);
        OutputFile output(link);
        write(output);
        output.commit();
        EXPECT_TRUE(fs::is_symlink(link));
        EXPECT_EQ(read_bytes(file), newer);
        EXPECT_EQ(folder.names(), (Names{"link", "there"}));
        fs::remove(link);
    });
}

TEST_F(FilesTest, ALinkToNoFileYetIsFollowed) {
    fs::create_directory(folder.file("there"));
    const std::string file = folder.file("there/file"), link = folder.file("link");
    fs::create_symlink("there/second", link);
    fs::create_symlink(folder.file("third"), folder.file("there/second"));
    fs::create_symlink("./there/../there/file", folder.file("third"));
    EXPECT_TRUE(same_file(link, file));
    check_writable(link);
    EXPECT_FALSE(fs::exists(file));
    OutputFile output(link);
    write(output);
    output.commit();
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
    EXPECT_EQ(read_bytes(file), newer);
    EXPECT_EQ(folder.names(), (Names{"link", "there", "third"}));

    fs::create_symlink("absent/file", folder.file("nowhere"));
    expect_error(Fault::failed, "make the directory first", [&] { check_writable(folder.file("nowhere")); });
    fs::create_symlink("absent/", folder.file("to_a_folder"));
    expect_error(Fault::failed, "make the directory first", [&] { check_writable(folder.file("to_a_folder")); });
    fs::create_symlink("loop", folder.file("loop"));
    expect_error(Fault::failed, "cannot write", [&] { check_writable(folder.file("loop")); });
}

TEST_F(FilesTest, ADeviceIsWrittenNotReplaced) {
    check_writable("/dev/null");
    OutputFile file("/dev/null");
    write(file);
    file.commit();
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    Array array(Type::f32, {100000});
    write_npy("/dev/null", array);
    expect_error(Fault::failed, "cannot write '/dev/full': No space left on device", [&] { write_npy("/dev/full", array); });
    expect_error(Fault::failed, "No space left on device", [&] { write_png("/dev/full", Array(Type::u8, {64, 64})); });
}

TEST_F(FilesTest, UnwritablePathsAreRefusedAtOnce) {
    fs::create_directory(folder.file("directory"));
    write_bytes(folder.file("file"), older);
    for (const auto &[path, words] : {std::pair<std::string, std::string>("", "the name is empty"),
                                      {folder.path(), "it is a directory"},
                                      {folder.file("directory/"), "it is a directory"},
                                      {folder.file("absent/"), "no such directory"},
                                      {folder.file("absent/out.npy"), "No such file or directory"},
                                      {folder.file("file/out.npy"), "Not a directory"},
                                      {folder.file(std::string(300, 'n')), "too long"},
                                      {folder.file(std::string(5000, 'n')), "too long"},
                                      {"/proc/out.npy", ""}}) {
        SCOPED_TRACE(path);
        expect_error(Fault::failed, words, [&path = path] { check_writable(path); });
        expect_error(Fault::failed, words, [&path = path] { OutputFile file(path); });
    }
    check_writable(folder.file("new"));
    check_writable(folder.file(std::string(255, 'n')));
    check_writable(folder.file("file"));
    EXPECT_EQ(read_bytes(folder.file("file")), older);
    EXPECT_EQ(folder.names(), (Names{"directory", "file"}));
}

TEST_F(FilesTest, PermissionsAreRespected) {
    if (geteuid() == 0) {
        GTEST_SKIP() << "not run here: root may write everywhere";
    }
    const std::string path = folder.file("file");
    write_bytes(path, older);
    ASSERT_EQ(chmod(path.c_str(), 0444), 0);
    expect_error(Fault::failed, "Permission denied", [&] { check_writable(path); });
    ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
    expect_error(Fault::failed, "Permission denied", [&] { check_writable(folder.file("new")); });
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
}

TEST_F(FilesTest, AFullDiskLeavesTheOlderFile) {
    const std::string png = folder.file("out.png"), npy = folder.file("out.npy");
    write_bytes(png, older);
    write_bytes(npy, older);
    const int status = in_child([&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit = {20000, 20000};  // bytes a file
        setrlimit(RLIMIT_FSIZE, &limit);
        Array image(Type::u8, {400, 400});
        uint32_t random = 1;
        for (int64_t i = 0; i < 400 * image.strides()[0]; i++) {
            image.as<uint8_t>()[i] = uint8_t((random = random * 1664525u + 1013904223u) >> 24);
        }
        int refused = 0;
        for (const std::string &path : {png, npy}) {
            try {
                write_array(path, image);
            } catch (const Error &error) {
                const bool says_why = std::string(error.what()).find("File too large; raise the limit") != std::string::npos;
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
        expect_error(Fault::failed, "Broken pipe; keep the program at its other end running", [&] { file.fail(); });
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
    if (!knows_unnamed_files()) {
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

// --- memory that runs out -------------------------------------------------------------------------------------------------

size_t open_files() {
    return size_t(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

// Calls `action` with its first allocation refused, with its second, and so on until none is left.
void refuse_each_allocation(const std::function<void()> &action) {
    int64_t refused = 0;
    for (bool is_done = false; !is_done; refused++) {
        const size_t before = open_files();
        std::string wrong;
        was_refused = false;
        mallocs_until_refusal = refused;
        try {
            action();
        } catch (const Error &error) {
            mallocs_until_refusal = -1;
            wrong = error.fault() == Fault::memory ? "" : error.what();
        } catch (const std::bad_alloc &) {
        }
        mallocs_until_refusal = -1;
        is_done = !was_refused;
        EXPECT_EQ(wrong, "") << "allocation " << refused << " was refused";
        EXPECT_EQ(open_files(), before) << "allocation " << refused << " was refused";
    }
    EXPECT_GT(refused, 4);
}

TEST_F(FilesTest, MemoryThatRunsOutIsCalledSo) {
    if (!can_refuse_memory) {
        GTEST_SKIP() << "not run here: malloc is a sanitizer's";
    }
    Array image(Type::u8, {40, 50, 3});
    for (int64_t i = 0; i < 40 * image.strides()[0]; i++) {
        image.as<uint8_t>()[i] = uint8_t(i * i >> 5);
    }
    PngMetadata metadata;
    metadata.gamma = .5;
    metadata.icc_profile = {"name", Bytes(5000, 'x')};
    std::memcpy(metadata.icc_profile->bytes.data() + 16, "RGB ", 4);
    for (const char *name : {"out.png", "out.npy"}) {
        SCOPED_TRACE(name);
        both_ways([&](bool) {
            refuse_each_allocation([&] { write_array(folder.file(name), image, metadata); });
            refuse_each_allocation([&] { read_array(folder.file(name)); });
            EXPECT_EQ(folder.names(), Names{name});
        });
        fs::remove(folder.file(name));
    }
}

TEST_F(FilesTest, MemoryThatCannotBeHadIsGivenInAUnitThatShowsIt) {
    const int status = in_child([&] {
        int64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t bytes = rlim_t(pages * sysconf(_SC_PAGESIZE) + (int64_t(8) << 20));
        const rlimit limit = {bytes, bytes};
        setrlimit(RLIMIT_AS, &limit);
        expect_error(Fault::memory, "36.0 MiB of host memory cannot be had", [] { Array(Type::u8, {36, 1 << 20}); });
        expect_error(Fault::memory, "1.5 GiB of host memory cannot be had", [] { Array(Type::u8, {3, 1 << 29}); });
        _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_EQ(status, 0);
}

// --- either kind ----------------------------------------------------------------------------------------------------------

TEST_F(FilesTest, TheEndingSaysWhatIsWrittenAndTheContentWhatIsRead) {
    Array image(Type::u8, {3, 5, 3});
    image.as<uint8_t>()[4] = 77;
    PngMetadata metadata, read;
    metadata.gamma = .5;
    for (const auto &[name, is_png] : {std::pair("a.png", true), {"a.PNG", true}, {"a.npy", false}, {"a.Npy", false}}) {
        SCOPED_TRACE(name);
        write_array(folder.file(name), image, metadata);
        fs::rename(folder.file(name), folder.file("without_ending"));
        read.gamma = 9;
        const Array again = read_array(folder.file("without_ending"), &read);
        EXPECT_EQ(again.shape(), image.shape());
        EXPECT_EQ(again.as<uint8_t>()[4], 77);
        EXPECT_EQ(read.gamma, is_png ? std::optional(.5) : std::nullopt);
        EXPECT_EQ(read_array(folder.file("without_ending")).type(), Type::u8);
    }
}

TEST_F(FilesTest, OtherFilesAreRefused) {
    const Array array(Type::f32, {4});
    for (const char *name : {"a.jpg", "a", "a.png.tif", ".png", "dir.png/a"}) {
        SCOPED_TRACE(name);
        expect_error(Fault::usage, "end it in .png (u8, u16) or .npy (any type)", [&] { write_array(folder.file(name), array); });
        expect_error(Fault::usage, "end it in .png (u8, u16) or .npy (any type)", [&] { check_output(folder.file(name)); });
    }
    expect_error(Fault::usage, "PNG holds u8 and u16", [&] { write_array(folder.file("a.png"), array); });
    write_bytes(folder.file("text.png"), bytes_of("text"));
    expect_error(Fault::input, "neither a PNG nor an .npy file", [&] { read_array(folder.file("text.png")); });
    write_bytes(folder.file("empty.npy"), {});
    expect_error(Fault::input, "the file is empty", [&] { read_array(folder.file("empty.npy")); });
    expect_error(Fault::input, "No such file", [&] { read_array(folder.file("absent.npy")); });
    expect_error(Fault::input, "no regular file", [&] { read_array("/dev/null"); });
    write_bytes(folder.file("cut.png"), {0x89, 'P', 'N'});
    expect_error(Fault::input, "ends too early, after 3 bytes", [&] { read_array(folder.file("cut.png")); });
}

TEST_F(FilesTest, APipeIsRefusedWithoutWaitingForAWriter) {
    const std::string path = folder.file("pipe.npy");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int status = in_child([&] {
        alarm(60);  // where it would wait for ever
        expect_error(Fault::input, "it is no regular file", [&] { read_array(path); });
        _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_EQ(status, 0);

    // One reader of one kind reads from a pipe.
    Array array(Type::f32, {3, 4});
    std::thread writer([&] { write_npy(path, array); });
    EXPECT_EQ(read_npy(path).shape(), array.shape());
    writer.join();
}

// --- error lines ----------------------------------------------------------------------------------------------------------

TEST(ErrorLine, HoldsNothingThatSteersATerminal) {
    const std::vector<std::pair<std::string, std::string>> quoted = {
        {"plain.png", "plain.png"},
        {"a\nb\tc\x1b[2Jd\x7f", "a?b?c?[2Jd?"},
        {"a\u0085b\u009b2Jc", "a?b?2Jc"},  // of the second block of control characters
        {"\u00a0\u00e9\u03bc\u2192\u6f22\U0001f600", "\u00a0\u00e9\u03bc\u2192\u6f22\U0001f600"},
        {"raw \x9b, Latin-1 \xe9.", "raw ?, Latin-1 ?."},
        {"cut \xe2\x86", "cut ??"},
        {"longer than needed \xc0\x9b, \xe0\x82\x9b, \xf0\x80\x82\x9b", "longer than needed ??, ???, ????"},
        {"a surrogate \xed\xa0\x80, too high \xf4\x90\x80\x80", "a surrogate ???, too high ????"},
    };
    for (const auto &[path, shown] : quoted) {
        SCOPED_TRACE(shown);
        expect_error(Fault::usage, "cannot write '" + shown + "/x': ", [&path = path] { check_output(path + "/x"); });
    }
    EXPECT_STREQ(Error(Fault::failed, "one\n\ntwo\u0090three \u00e9\x9b\n").what(), "one two three \u00e9?");
}

TEST_F(FilesTest, AnOutputIsCheckedBeforeTheWork) {
    check_output(folder.file("a.png"));
    check_output(folder.file("a.png"), Type::u16, {4, 5, 3});
    check_output(folder.file("a.npy"), Type::c64, {7});
    expect_error(Fault::usage, "PNG holds u8 and u16", [&] { check_output(folder.file("a.png"), Type::f32, {4, 5}); });
    expect_error(Fault::usage, "images (h, w)", [&] { check_output(folder.file("a.png"), Type::u8, {4}); });
    expect_error(Fault::failed, "No such file", [&] { check_output(folder.file("absent/a.npy")); });
    expect_error(Fault::failed, "No such file", [&] { check_output(folder.file("absent/a.npy"), Type::u8, {4}); });
    EXPECT_EQ(folder.names(), Names{});
}

TEST_F(FilesTest, LimitsReachTheReaders) {
    write_array(folder.file("a.png"), Array(Type::u8, {3, 5}));
    write_array(folder.file("a.npy"), Array(Type::u8, {3, 5}));
    FileLimits limits;
    limits.png.pixels = 14;
    limits.npy.bytes = 14;
    expect_error(Fault::input, "the limit is 14", [&] { read_array(folder.file("a.png"), nullptr, limits); });
    expect_error(Fault::input, "the limit is 14", [&] { read_array(folder.file("a.npy"), nullptr, limits); });
}

TEST_F(FilesTest, OneFileIsKnownUnderItsNames) {
    const std::string file = folder.file("file"), other = folder.file("other"), absent = folder.file("absent");
    write_bytes(file, older);
    write_bytes(other, older);
    fs::create_symlink("file", folder.file("symlink"));
    fs::create_hard_link(file, folder.file("hard"));
    fs::create_directory(folder.file("directory"));
    EXPECT_TRUE(same_file(file, file));
    EXPECT_TRUE(same_file(file, folder.file("symlink")));
    EXPECT_TRUE(same_file(file, folder.file("hard")));
    EXPECT_TRUE(same_file(file, folder.file("directory/../file")));
    EXPECT_TRUE(same_file(file, fs::relative(file).string()));
    EXPECT_FALSE(same_file(file, other));
    EXPECT_FALSE(same_file(file, absent));
    EXPECT_FALSE(same_file(absent, file));
    EXPECT_TRUE(same_file(absent, folder.file("directory/../absent")));
    EXPECT_FALSE(same_file(absent, folder.file("absent2")));
}

}  // namespace
}  // namespace tilewright
