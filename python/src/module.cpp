// The compiled module tilewright._tilewright.
#include "python/src/module.h"
#include <tilewright/version.h>  // made by the build

NB_MODULE(_tilewright, module) {
    using namespace tilewright::python;
    nanobind::set_leak_warnings(false);  // the operators live as long as the process
    module.doc() = "The operators of Tilewright's registry";
    module.attr("__version__") = TILEWRIGHT_VERSION;
    add_errors(module);
    add_devices(module);
    add_array(module);
    add_prepared(module);
    add_operators(module);
    add_pipeline(module);
}
