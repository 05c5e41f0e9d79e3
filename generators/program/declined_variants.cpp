// Checks variants that an autoscheduler declines.
#include "generators/program/declined_variants.h"
#include "generators/program/libraries/child_process.h"
#include "generators/program/libraries/library.h"
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace tilewright {

int check_declined() {
    int wrong = 0, asked = 0;
    const auto dir = std::filesystem::temp_directory_path() / ("tilewright-" + std::to_string(getpid()));
    std::filesystem::create_directories(dir);
    for (const Library &library : Selection({}).libraries()) {
        if (library.variant->declined.empty()) {
            continue;
        }
        asked++;
        const auto words_file = dir / "words";
        const bool refused = !wait_for_child(start_child(words_file, [&] {
            return make_library(library, dir, "static_library", "");
        })).well;
        std::stringstream said;
        said << std::ifstream(words_file).rdbuf();
        const bool as_written = said.str().find(library.variant->declined) != std::string::npos;
        std::cout << (refused && as_written ? "declined as the table says: " : "NOT as the table says: ")
                  << library.name << "\n";
        if (!(refused && as_written)) {
            std::cout << said.str() << "\n";
            wrong++;
        }
    }
    std::filesystem::remove_all(dir);
    std::cout << (asked == 0 ? "no variant is one that an autoscheduler declines" :
                               std::to_string(asked) + " declined variants asked, " + std::to_string(wrong) +
                                   " not as the table says")
              << "\n";
    return wrong ? 1 : 0;
}

}  // namespace tilewright
