// Output files: permissions and owners.
#include "tests/runtime/files/files_test.h"
#include <grp.h>
#include <unistd.h>

namespace tilewright {
namespace {

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
            EXPECT_EQ(refusing_system::created_mode, 0600u)
                << "others could read it before it has the older file's permissions";
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
        expect_error(Fault::failed, "it is another user's, in a folder where only owners replace files",
            [&] { check_writable(path); });
        check_writable(folder.file("own"));
        _exit(HasFailure() ? 1 : 0);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_bytes(path), older);
    check_writable(path);  // root may
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

}  // namespace
}  // namespace tilewright
