// Makes the libraries of a selection, and leaves those alone that would come out the same.
#include "generators/program/libraries/build.h"
#include "generators/program/libraries/child_process.h"
#include "generators/program/libraries/cubins.h"
#include "generators/program/libraries/kernel_needs.h"
#include "generators/program/libraries/kernel_texts.h"
#include "generators/program/libraries/library.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

namespace tilewright {

namespace {

namespace fs = std::filesystem;

// LIBRARY.made: the library's key, and the names of its files.
struct Made {
    std::string key;
    std::vector<std::string> files;

    static Made read(const fs::path &path) {
        Made made;
        std::ifstream file(path);
        std::getline(file, made.key);
        for (std::string name; std::getline(file, name);) {
            made.files.push_back(name);
        }
        return made;
    }

    bool write(const fs::path &path) const {
        std::ofstream file(path);
        file << key << "\n";
        for (const std::string &name : files) {
            file << name << "\n";
        }
        file.close();
        return (bool)file;
    }
};

void show_file(const fs::path &path) {
    std::ifstream file(path);
    if (file.peek() != std::ifstream::traits_type::eof()) {
        std::cerr << file.rdbuf();
    }
}

// The libraries of one target, and the list of their archives.
class TargetBuild {
public:
    TargetBuild(const Selection &selection, std::string target, std::vector<Library> libraries,
        fs::path folder, std::string files)
        : selection_(selection), target_(std::move(target)), libraries_(std::move(libraries)),
          folder_(std::move(folder)), list_(folder_ / (selection.name + "_" + target_ + ".libraries")) {
        for (const std::string &file : split(files, ',')) {
            if (is_cubin(file)) {
                cubins_.push_back(file);
            } else {
                files_ += (files_.empty() ? "" : ",") + file;
            }
        }
    }

    // Whether all went well.
    bool run() {
        const std::vector<std::string> others = other_libraries();
        const std::vector<Library> changed = changed_libraries();
        // Before the first change. So the list is missing after a build that fails or is stopped, and the
        // next build makes it again, whatever it finds changed then.
        if (!changed.empty() || !others.empty()) {
            fs::remove(list_);
        }
        for (const std::string &library : others) {
            remove(library);
        }
        if (!make(changed)) {
            return false;
        }
        make_cubins();
        if (!write_cubins_header(selection_, target_, libraries_, folder_.string())) {
            std::cerr << "error: the file of the kernels' machine code cannot be written in " << folder_
                      << "\n";
            return false;
        }
        if (!write_needs_header(selection_, target_, libraries_, keys_, folder_.string())) {
            std::cerr << "error: the file of what the libraries need cannot be written in " << folder_
                      << "\n";
            return false;
        }
        if (!write_kernel_texts(selection_, target_, libraries_, folder_.string())) {
            std::cerr << "error: the text of the kernels cannot be written in " << folder_ << "\n";
            return false;
        }
        return fs::exists(list_) || write_list();
    }

private:
    struct Running {
        Library library;
        std::string key;
        fs::path folder;
    };

    const Selection &selection_;
    std::string target_;
    std::vector<Library> libraries_;
    fs::path folder_;
    std::string files_;                // that Halide makes
    std::vector<std::string> cubins_;  // "sm_90": the machine code of CUDA libraries beside their PTX
    fs::path list_;
    std::map<std::string, std::string> keys_;
    std::map<pid_t, Running> running_;

    bool write_list() const {
        std::ofstream file(list_);
        for (const Library &library : libraries_) {
            file << library.name << ".a\n";
        }
        file.close();
        if (!file) {
            fs::remove(list_);
            std::cerr << "error: " << list_ << " cannot be written\n";
        }
        return (bool)file;
    }

    fs::path made(const std::string &library) const {
        return folder_ / (library + ".made");
    }

    void remove(const std::string &library) {
        for (const std::string &file : Made::read(made(library)).files) {
            fs::remove(folder_ / file);
        }
        fs::remove(made(library));
    }

    // What an earlier build made of this target and this one does not.
    std::vector<std::string> other_libraries() const {
        std::set<std::string> known;
        for (const Library &library : libraries_) {
            known.insert(library.name);
        }
        const std::vector<std::string> endings = target_ == "cpu" ?
                                                     std::vector<std::string>{"_cpu", "_vnni"} :
                                                     std::vector<std::string>{"_" + target_};
        std::vector<std::string> others;
        for (const fs::directory_entry &entry : fs::directory_iterator(folder_)) {
            const std::string library = entry.path().stem().string();
            for (const std::string &ending : endings) {
                if (entry.path().extension() == ".made" && library.ends_with(ending) &&
                    !known.contains(library)) {
                    others.push_back(library);
                }
            }
        }
        return others;
    }

    std::vector<Library> changed_libraries() {
        std::vector<Library> changed;
        for (const Library &library : libraries_) {
            const std::string key =
                answer_of_child([&] { return key_of(library, files_, library.tunables); });
            const Made before = Made::read(made(library.name));
            bool same = !key.empty() && before.key == key;
            for (const std::string &file : before.files) {
                same = same && fs::exists(folder_ / file);
            }
            keys_[library.name] = key;
            if (!same) {
                changed.push_back(library);
            }
        }
        return changed;
    }

    // Cubins that are asked for and not there; those that are not asked for are removed. The libraries are
    // the same with and without them.
    void make_cubins() {
        for (const Library &library : libraries_) {
            Made all = Made::read(made(library.name));
            const Made before = all;
            std::set<std::string> asked;
            for (const std::string &word : cubins_) {
                if (!runs_on(library, folder_.string(), word)) {
                    continue;
                }
                const std::string file = cubin_name(library, folder_.string(), word);
                asked.insert(file);
                if (!fs::exists(folder_ / file)) {
                    make_cubin(library, folder_.string(), word);
                }
                if (std::find(all.files.begin(), all.files.end(), file) == all.files.end()) {
                    all.files.push_back(file);
                }
            }
            std::erase_if(all.files, [&](const std::string &file) {
                if (!file.ends_with(".cubin") || asked.contains(file)) {
                    return false;
                }
                fs::remove(folder_ / file);
                return true;
            });
            if (all.files != before.files) {
                all.write(made(library.name));
            }
        }
    }

    // One process at least, and more where processors are free. After a failure no further one is started.
    bool make(const std::vector<Library> &all) {
        bool well = true;
        for (size_t next = 0; next < all.size() || !running_.empty();) {
            if (well && next < all.size() && taken_from_neighbour(all[next])) {
                next++;
            } else if (well && next < all.size() && (running_.empty() || processor_is_free())) {
                start(all[next++]);
            } else if (!running_.empty()) {
                well = end_one() && well;
            } else {
                break;
            }
        }
        return well;
    }

    // Copies a library that the tables of several operators have (ScheduleVariant::one_for) from another
    // operator's folder beside this one, if it was made of the same there. Returns whether it was. A library
    // that is removed there meanwhile is made here.
    bool taken_from_neighbour(const Library &library) {
        if (library.variant->common.empty() || !library.is_own) {
            return false;
        }
        const std::string &key = keys_.at(library.name);
        for (const fs::directory_entry &neighbour : fs::directory_iterator(folder_ / "..")) {
            const Made there = Made::read(neighbour.path() / (library.name + ".made"));
            if (key.empty() || there.key != key || fs::equivalent(neighbour.path(), folder_)) {
                continue;
            }
            remove(library.name);
            std::error_code failed;
            for (const std::string &file : there.files) {
                if (!failed) {
                    fs::copy_file(neighbour.path() / file, folder_ / file,
                        fs::copy_options::overwrite_existing, failed);
                }
            }
            if (!failed && there.write(made(library.name))) {
                return true;
            }
        }
        return false;
    }

    void start(const Library &library) {
        remove(library.name);
        const fs::path folder = folder_ / (library.name + ".unfinished");
        fs::remove_all(folder);
        fs::create_directories(folder);
        const pid_t pid = start_child((folder / "said").string(),
            [&] { return make_library(library, folder.string(), files_, library.tunables); });
        running_.insert({pid, Running{library, keys_[library.name], folder}});
    }

    bool end_one() {
        const Ended ended = wait_for_child();
        const auto at = running_.find(ended.pid);
        if (at == running_.end()) {
            return false;
        }
        const Running one = at->second;
        running_.erase(at);
        show_file(one.folder / "said");
        const bool well = ended.well && take_over(one);
        if (!well) {
            std::cerr << "error: " << only_table().op << ": the library of variant '" << one.library.schedule
                      << "' for " << one.library.type << " on " << one.library.backend << " was not made"
                      << (ended.well ? "" : ": its process ended " + ended.how) << "\n";
        }
        fs::remove_all(one.folder);
        return well;
    }

    // The files of a library that was made come to their places.
    bool take_over(const Running &one) const {
        Made all{one.key, {}};
        for (const fs::directory_entry &entry : fs::directory_iterator(one.folder)) {
            const std::string name = entry.path().filename().string();
            if (name != "said") {
                fs::rename(entry.path(), folder_ / name);
                all.files.push_back(name);
            }
        }
        return all.write(made(one.library.name));
    }
};

}  // namespace

int build(const Selection &selection, const std::string &folder, const std::string &files) {
    selection.check(false);
    std::map<std::string, std::vector<Library>> targets;
    for (const std::string &backend : selection.backends) {
        targets[backend == "vnni" ? "cpu" : backend];
    }
    for (const Library &library : selection.libraries()) {
        if (library.shared.empty()) {
            targets[library.target()].push_back(library);
        }
    }
    fs::create_directories(folder);
    for (const auto &[target, libraries] : targets) {
        if (!TargetBuild(selection, target, libraries, folder, files).run()) {
            return 1;
        }
    }
    return 0;
}

}  // namespace tilewright
