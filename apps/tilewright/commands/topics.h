#pragma once
// The topics of `help`: the pages of docs/topics, which the build puts into a file (apps/CMakeLists.txt).
#include <string>
#include <vector>

namespace tilewright::app {

struct Topic {
    std::string name, page;  // "devices", and the page as Markdown
};

const std::vector<Topic> &topics();

}  // namespace tilewright::app
