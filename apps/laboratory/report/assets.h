#pragma once
// The files of this folder that a report is made of. They are in the program.
#include <string_view>

namespace tilewright::app {

struct Assets {
    std::string_view page;    // page.html: HTML with {{names}} for what a report fills in
    std::string_view style;   // page.css
    std::string_view script;  // page.js
    std::string_view plots;   // the plotting library; empty where the build did not find it
};

const Assets &assets();

}  // namespace tilewright::app
