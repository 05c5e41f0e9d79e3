#pragma once
// The plans of the last calls of an operator on GPUs, for calls like them. Not installed.
#include "runtime/dispatch/prepared.h"
#include "tilewright/call.h"
#include "tilewright/operator.h"
#include "tilewright/settings.h"
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

// Calls with the same settings on arrays of the same types and shapes have the same plan, and reading,
// choosing and planning takes the host longer than starting a kernel. The second of such calls keeps its
// plan, by which later ones run. One call has it at a time: a thread that finds it taken plans its own call.
// Between calls the plan holds no array of a caller, and of a device's memory only that of constant tables.
class KeptCalls {
public:
    KeptCalls();
    KeptCalls(const KeptCalls &) = delete;
    ~KeptCalls();

    // Lets go of the plans of all operators, apart from those by which calls run at the moment.
    static void forget_all();

    // Makes a call of the operator. Errors: those of the call.
    void call(const Operator &op, std::span<const Array> inputs, Array &output, const Settings &settings,
        const Call &how);

private:
    struct Kept {
        Settings settings;
        std::string schedule;
        std::optional<Device> device;  // as the call said it
        std::vector<Array> inputs;     // their types and shapes, without memory
        int calls = 0;
        // The plan, the variant that it is of, and those of its libraries. Null: it cannot be kept.
        std::unique_ptr<Prepared::State> state = {};
        const Variant *variant = nullptr;
        std::vector<const Variant *> libraries = {};
    };
    using Taken = std::list<Kept>;  // one

    Taken take(std::span<const Array> inputs, const Settings &settings, const Call &how);
    void give_back(Taken taken);
    static bool run(
        Kept &kept, const Operator &op, std::span<const Array> inputs, Array &output, const Call &how);
    static void keep(Kept &kept, const Operator &op, const Request &request, Array &output, Device device,
        const Variant &variant);

    struct All;
    static All &all();

    std::mutex mutex_;
    std::list<Kept> kept_;  // the last one first
};

}  // namespace tilewright
