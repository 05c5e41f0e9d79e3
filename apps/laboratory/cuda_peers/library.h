#pragma once
// A shared library of the CUDA toolkit, which is opened when the program runs: so the program starts where it
// is missing, and only the peers of that library are left out.
#include <string>

namespace peers {

class Library {
public:
    // `name` is the file's: "libcublas.so.13". It is looked for as any library is, and in the toolkit's usual
    // folders.
    explicit Library(const std::string &name);

    explicit operator bool() const {
        return handle_ != nullptr;
    }
    const std::string &why_not() const {
        return why_not_;
    }

    // `F` is the type of the header's declaration: function<decltype(cublasCreate_v2)>("cublasCreate_v2").
    // Errors: failed, when the library has no such function.
    template<class F>
    F *function(const char *name) const {
        return (F *)address(name);
    }

private:
    void *address(const char *name) const;

    std::string name_, why_not_;
    void *handle_ = nullptr;
};

}  // namespace peers
