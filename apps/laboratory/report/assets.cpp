// The bytes of the files, which the assembler takes from where CMakeLists.txt says.
#include "apps/laboratory/report/assets.h"

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

const Assets &assets() {
    static const Assets all = {{tilewright_report_page, tilewright_report_page_end},
        {tilewright_report_style, tilewright_report_style_end},
        {tilewright_report_script, tilewright_report_script_end},
        {tilewright_report_plots, tilewright_report_plots_end}};
    return all;
}

}  // namespace tilewright::app
