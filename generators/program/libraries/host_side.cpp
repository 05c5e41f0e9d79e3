#include "generators/program/libraries/host_side.h"
#include "generators/algorithms/kernel_arguments.h"
#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace tilewright {

namespace {

using namespace Halide::Internal;
using Halide::Expr;

const std::string arguments = "arguments";

// What is at the address that `name` has, `index` elements further.
Expr at(const Halide::Type &type, const std::string &name, int index = 0) {
    return Load::make(
        type, name, index, Halide::Buffer<>(), Halide::Parameter(), const_true(), ModulusRemainder());
}

// The numbers of a structure; none where another expression is among them.
std::vector<int64_t> numbers_of(const Expr &structure) {
    const Call *call = structure.as<Call>();
    std::vector<int64_t> numbers;
    for (const Expr &member :
        call && call->is_intrinsic(Call::make_struct) ? call->args : std::vector<Expr>()) {
        const std::optional<int64_t> of_signed = as_const_int(member);
        const std::optional<uint64_t> of_unsigned = as_const_uint(member);
        if (!of_signed && !of_unsigned) {
            return {};
        }
        numbers.push_back(of_signed ? *of_signed : (int64_t)*of_unsigned);
    }
    return numbers;
}

// A kernel's arguments in short (kernel_arguments.h), from Halide's two lists, each of which a zero ends. ""
// where they cannot be.
std::string description_of(const Expr &bytes, const Expr &is_array) {
    const std::vector<int64_t> sizes = numbers_of(bytes), arrays = numbers_of(is_array);
    if (sizes.empty() || sizes.back() != 0 || sizes.size() != arrays.size() ||
        sizes.size() > most_described_arguments) {
        return "";
    }
    std::string text;
    for (size_t i = 0; i + 1 < sizes.size(); i++) {
        if (sizes[i] < 1 || sizes[i] >= argument_is_array) {
            return "";
        }
        text += (char)(sizes[i] + (arrays[i] ? argument_is_array : 0));
    }
    return text;
}

// How kernels are started: with the addresses of numbers that the caller gave, and with a short description.
class Starts : public IRMutator {
public:
    // The places of numbers among the arguments.
    explicit Starts(std::map<std::string, int> numbers) : numbers_(std::move(numbers)) {}

    // The numbers that are read besides.
    std::set<std::string> read;

protected:
    using IRMutator::visit;

    Expr visit(const Call *call) override {
        // halide_cuda_run(module, kernel, blocks x, y, z, threads x, y, z, shared memory, bytes of arguments,
        // arguments, which ones are arrays)
        constexpr size_t bytes = 9, arguments_of_kernel = 10, is_array = 11;
        if ((call->name == "halide_cuda_run" || call->name == "halide_opencl_run") &&
            call->args.size() == is_array + 1) {
            const std::string text = description_of(call->args[bytes], call->args[is_array]);
            if (!text.empty()) {
                std::vector<Expr> args(call->args.begin(), call->args.begin() + bytes);
                args = mutate(args);
                args.emplace_back(StringImm::make(text));
                args.push_back(mutate(call->args[arguments_of_kernel]));
                return Call::make(call->type, call->name + "_described", args, call->call_type);
            }
        }
        const bool is_one = call->is_intrinsic(Call::make_struct) && call->args.size() == 1;
        const Variable *number = is_one ? call->args[0].as<Variable>() : nullptr;
        return number && numbers_.contains(number->name) ?
                   at(Halide::Handle(), arguments, numbers_.at(number->name)) :
                   IRMutator::visit(call);
    }

    Expr visit(const Variable *variable) override {
        if (numbers_.contains(variable->name)) {
            read.insert(variable->name);
        }
        return variable;
    }

private:
    const std::map<std::string, int> numbers_;
};

}  // namespace

LoweredFunc called_by_addresses(const LoweredFunc &function) {
    std::map<std::string, int> numbers;
    for (size_t i = 0; i < function.args.size(); i++) {
        if (!function.args[i].is_buffer()) {
            numbers[function.args[i].name] = (int)i;
        }
    }
    Starts starts(numbers);
    Stmt body = starts.mutate(function.body);
    for (size_t i = 0; i < function.args.size(); i++) {
        const LoweredArgument &argument = function.args[i];
        const Expr address = at(Halide::Handle(), arguments, (int)i);
        if (argument.is_buffer()) {
            body = LetStmt::make(argument.name + ".buffer", address, body);
        } else if (starts.read.contains(argument.name)) {
            const std::string name = argument.name + ".address";
            body = LetStmt::make(name, address, LetStmt::make(argument.name, at(argument.type, name), body));
        }
    }
    const std::vector<LoweredArgument> only = {
        LoweredArgument(arguments, Halide::Argument::InputScalar, Halide::Handle(), 0, {})};
    return {function.name + "_argv", only, body, Halide::LinkageType::External, function.name_mangling};
}

void compile_for_size(const std::string &function) {
    const char *words = std::getenv("HL_LLVM_ARGS");  // Halide hands them to LLVM
    const std::string all =
        (words ? std::string(words) + " " : "") + "-force-attribute=" + function + ":minsize";
    setenv("HL_LLVM_ARGS", all.c_str(), 1);
}

}  // namespace tilewright
