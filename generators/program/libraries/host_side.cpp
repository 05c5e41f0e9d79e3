#include "generators/program/libraries/host_side.h"
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

// The bytes of integers of one type, one behind another; none where another expression is among them.
std::string bytes_of(const std::vector<Expr> &constants) {
    std::string bytes;
    for (const Expr &constant : constants) {
        const std::optional<int64_t> of_signed = as_const_int(constant);
        const std::optional<uint64_t> of_unsigned = as_const_uint(constant);
        if ((!of_signed && !of_unsigned) || constant.type() != constants.front().type()) {
            return {};
        }
        const uint64_t value = of_signed ? (uint64_t)*of_signed : *of_unsigned;
        for (int byte = 0; byte < constant.type().bytes(); byte++) {
            bytes += (char)(value >> (8 * byte));
        }
    }
    return bytes;
}

// Structures that a kernel's start gets: the address of a number is the caller's, and lists of constants are
// constants of the library.
class Structures : public IRMutator {
public:
    // The places of numbers among the arguments.
    explicit Structures(std::map<std::string, int> numbers) : numbers_(std::move(numbers)) {}

    // The numbers that are read besides.
    std::set<std::string> read;

protected:
    using IRMutator::visit;

    Expr visit(const Call *call) override {
        if (!call->is_intrinsic(Call::make_struct) || call->args.empty()) {
            return IRMutator::visit(call);
        }
        const Variable *number = call->args.front().as<Variable>();
        if (number && call->args.size() == 1 && numbers_.contains(number->name)) {
            return at(Halide::Handle(), arguments, numbers_.at(number->name));
        }
        const std::string bytes = bytes_of(call->args);
        return bytes.empty() ? IRMutator::visit(call) : StringImm::make(bytes);
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
    Structures structures(numbers);
    Stmt body = structures.mutate(function.body);
    for (size_t i = 0; i < function.args.size(); i++) {
        const LoweredArgument &argument = function.args[i];
        const Expr address = at(Halide::Handle(), arguments, (int)i);
        if (argument.is_buffer()) {
            body = LetStmt::make(argument.name + ".buffer", address, body);
        } else if (structures.read.contains(argument.name)) {
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
