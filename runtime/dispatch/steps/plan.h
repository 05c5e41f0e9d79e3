#pragma once
// What a call does: libraries and their arguments, one after another. Fronts make plans, the frame runs them.
// Not installed.
#include "runtime/dispatch/steps/launch.h"
#include <functional>
#include <list>
#include <variant>
#include <vector>

namespace tilewright {

// The steps of a call. A front adds them in the order in which they run; nothing runs before run().
class Plan {
public:
    // A step that runs a variant's library on a device; its arguments are added to what is returned, which
    // lives as long as the plan.
    Launch &launch(const Variant &variant, Device device) {
        return std::get<Launch>(steps_.emplace_back(std::in_place_type<Launch>, variant, device));
    }

    // A step on the host, between libraries.
    void host(std::function<void()> work) {
        steps_.emplace_back(std::move(work));
    }

    // A step that depends on results: called once all steps before it ran, it gives the plan of what follows,
    // which runs libraries of the variants `possible`.
    void then(std::function<Plan()> decide, std::vector<const Variant *> possible) {
        steps_.emplace_back(Decision{std::move(decide), std::move(possible)});
    }

    // The steps of another plan, behind those that are there.
    void append(Plan other) {
        steps_.splice(steps_.end(), other.steps_);
    }

    // The variants whose libraries will run, and of those that results decide on, all that may.
    std::vector<const Variant *> variants() const;

    // The libraries that will run, but for those that results decide on.
    std::vector<const Launch *> launches() const;

    // Whether nothing is done but running libraries that are known before.
    bool has_libraries_alone() const {
        return launches().size() == steps_.size();
    }

    // Binds other arrays in all libraries (Launch::replace).
    void replace(std::span<const Array> from, std::span<const Array> to);

    // Has all libraries work on so many images (Launch::set_images).
    void set_images(int64_t count, std::span<const Array> arrays, std::span<const int64_t> steps);

    // Whether all libraries take arguments of these shapes. They are asked without any data (Halide's bounds
    // query).
    bool fits() const;

    // Runs all steps; work of a device may still be under way afterwards. Returns the variants whose
    // libraries ran. Errors: memory, device or failed, with Halide's message.
    std::vector<const Variant *> run();

private:
    struct Decision {
        std::function<Plan()> decide;
        std::vector<const Variant *> possible;
    };

    std::list<std::variant<Launch, std::function<void()>, Decision>> steps_;
};

}  // namespace tilewright
