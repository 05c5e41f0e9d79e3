// A program that links a shared library with one operator: a call, and an error that passes from the library
// to the program.
#include <cstdio>
#include <tilewright/error.h>
#include <tilewright/invert.h>
#include <tilewright/operator.h>

int main() {
    using namespace tilewright;
    const Array image(Type::u8, {5, 7});
    Array inverted;
    invert(image, inverted, {.device = Device{}});
    printf("%d\n", inverted.as<uint8_t>()[0]);
    try {
        find_operator("rotate");
    } catch (const Error &error) {
        printf("%s\n", error.what());
    }
    return 0;
}
