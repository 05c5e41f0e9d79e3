#pragma once
// The files by which OpenCL's loader finds the drivers of vendors, and the drivers that crash.
#include <string>
#include <vector>

namespace tilewright::app {

// An ICD file ("pocl.icd"), whose text names the library of a driver.
struct Icd {
    std::string name, library;
    std::string failure;  // how its driver ended a process that looked for devices; empty: it did not
};

// The folder that the loader reads: OCL_ICD_VENDORS, or the system's.
std::string icd_folder();

// The ICD files of that folder, tried in a process of its own: together, and each alone where that fails.
// Then this process leaves out those that fail, and uses the others (it sets OCL_ICD_VENDORS); so call it
// before anything asks for a device. Errors: failed, when no process or folder can be made.
std::vector<Icd> try_icds();

}  // namespace tilewright::app
