// The bytes of the files, which the assembler takes from where CMakeLists.txt says.
#include "apps/laboratory/report/assets.h"
#include <cstring>
#include <new>
#include <string>
#include <zlib.h>

#define EMBED(name, path)                                                                                    \
    asm(".pushsection .rodata\n"                                                                             \
        ".global tilewright_" name "\n"                                                                      \
        ".global tilewright_" name "_end\n"                                                                  \
        "tilewright_" name ":\n"                                                                             \
        ".incbin \"" path "\"\n"                                                                             \
        "tilewright_" name "_end:\n"                                                                         \
        ".byte 0\n"                                                                                          \
        ".popsection\n")

EMBED("report_page", TILEWRIGHT_REPORT_FOLDER "/page.html");
EMBED("report_style", TILEWRIGHT_REPORT_FOLDER "/page.css");
EMBED("report_script", TILEWRIGHT_REPORT_FOLDER "/page.js");
EMBED("report_plots", TILEWRIGHT_PLOTS_FILE);

extern "C" {
extern const char tilewright_report_page[], tilewright_report_page_end[];
extern const char tilewright_report_style[], tilewright_report_style_end[];
extern const char tilewright_report_script[], tilewright_report_script_end[];
extern const char tilewright_report_plots[], tilewright_report_plots_end[];
}

namespace tilewright::app {

// What plots.py deflated; empty where there is nothing.
static std::string inflated(std::string_view file) {
    uLongf bytes = 0;  // 64 bits
    if (file.empty()) {
        return "";
    }
    std::memcpy(&bytes, file.data(), sizeof bytes);
    file.remove_prefix(sizeof bytes);
    std::string text(bytes, '\0');
    if (uncompress((Bytef *)text.data(), &bytes, (const Bytef *)file.data(), file.size()) != Z_OK) {
        throw std::bad_alloc();  // the file is whole, so that only memory can be missing
    }
    return text;
}

const Assets &assets() {
    static const std::string plots = inflated({tilewright_report_plots, tilewright_report_plots_end});
    static const Assets all = {{tilewright_report_page, tilewright_report_page_end},
        {tilewright_report_style, tilewright_report_style_end},
        {tilewright_report_script, tilewright_report_script_end}, plots};
    return all;
}

}  // namespace tilewright::app
