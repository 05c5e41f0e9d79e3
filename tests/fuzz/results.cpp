// Files of timed runs, as `compare` and `report` read them, and results files, which are mended.
#include "apps/laboratory/report/page.h"
#include "apps/laboratory/results/comparison.h"
#include "apps/laboratory/results/results_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace tilewright;
    const fuzz::MemoryFile memory(data, size);
    fuzz::returns_or_refuses([&] {
        const app::TimedFile file = app::read_timed_file(memory.path());
        app::compare_runs(file, file, {});
        app::report_page({file});
    });
    fuzz::returns_or_refuses([&] { app::ResultsFile results(memory.path()); });
    return 0;
}
