#pragma once

// What a variant says of an operator from one image to another (runtime/dispatch/image_operator.h): shared by
// the schedules and the front (generators/algorithms/configuration.h).
namespace tilewright {

struct ImageConfiguration {
    int alignment = 1;  // rows of both images begin at multiples of so many bytes

    template<typename Visit>
    void fields(Visit visit) {
        visit("alignment", alignment);
    }
};

}  // namespace tilewright
