// Exchanges words of shared memory in parts.
#include "schedules/passes/parted_exchange.h"
#include "schedules/passes/thread_folds.h"
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

using namespace Halide::Internal;
using Halide::Expr;
using Halide::UInt;

bool is_barrier(const Stmt &part) {
    const Evaluate *statement = part.as<Evaluate>();
    const Call *call = statement ? statement->value.as<Call>() : nullptr;
    return call && call->is_intrinsic(Call::gpu_thread_barrier);
}

bool has_barrier(const Stmt &part) {
    struct Search : IRVisitor {
        using IRVisitor::visit;
        void visit(const Evaluate *statement) override {
            found = found || is_barrier(statement);
        }
        bool found = false;
    } search;
    part.accept(&search);
    return search.found;
}

Expr zero() {
    return make_zero(UInt(64));
}

// Where the words are: shared memory, and the registers of a thread.
struct Words {
    std::string shared, kept, loaded;
    int most_kept = 0, most_loaded = 0;

    static Expr load(const std::string &from, const Expr &at) {
        return Load::make(UInt(32), from, at, {}, {}, const_true(), {});
    }
    static Stmt store(const std::string &to, const Expr &value, const Expr &at) {
        return Store::make(to, value, at, {}, const_true(), {});
    }
};

// A sum of multiples. Halide's quotients of indices stay as they are, because it factors sums before it
// divides them.
struct Sum {
    std::vector<std::pair<Expr, int>> terms;
    int constant = 0;

    explicit Sum(const Expr &e) {
        add(e, 1);
    }
    // The sum divided by `by`, rounded down, where loops have these bounds.
    Sum over(int by, const Scope<Interval> &bounds) const {
        Sum quotient(0), rest(((constant % by) + by) % by);
        quotient.constant = (constant - rest.constant) / by;
        for (const auto &[e, factor] : terms) {
            factor % by == 0 ? quotient.add(e, factor / by) : rest.add(e, factor);
        }
        const Interval range = find_constant_bounds(rest.value(), bounds);
        const auto least = as_const_int(simplify(range.min / by)), most = as_const_int(simplify(range.max / by));
        quotient.add(least && most && *least == *most ? Expr((int)*least) : rest.value() / by, 1);
        return quotient;
    }
    Expr modulo(int by) const {
        Sum rest(constant % by);
        for (const auto &[e, factor] : terms) {
            if (factor % by != 0) {
                rest.add(e, factor);
            }
        }
        return rest.value() % by;
    }
    Expr value() const {
        Expr sum = constant;
        for (const auto &[e, factor] : terms) {
            sum += e * factor;
        }
        return sum;
    }

private:
    void add(const Expr &e, int factor) {
        const Mul *product = e.as<Mul>();
        const auto number = as_const_int(e), multiple = product ? as_const_int(product->b) : std::nullopt;
        if (number) {
            constant += (int)*number * factor;
        } else if (const Add *sum = e.as<Add>()) {
            add(sum->a, factor);
            add(sum->b, factor);
        } else if (multiple) {
            add(product->a, (int)*multiple * factor);
        } else {
            terms.emplace_back(e, factor);
        }
    }
};

// The words of an exchange that are in shared memory at a time: a half of those whose digit has some values.
struct Part {
    PlaceDigit digit;
    int pieces, half, piece;
    const Scope<Interval> &bounds;  // of the loops over threads

    int values() const {
        return digit.values / pieces;
    }
    int room() const {
        return digit.room - digit.values + values();
    }
    // The statement where a word, which has the place `index` among all words, is in this part.
    Stmt where_has(const Expr &index, const Stmt &done) const {
        return pieces == 1 ? done :
                             IfThenElse::make(
                                 Sum(index).over(digit.stride, bounds).modulo(digit.room) / values() == piece,
                                 done);
    }
    // The place that it has there.
    Expr place(const Expr &index) const {
        const auto rows = [&] { return Sum(index).over(digit.stride * digit.room, bounds).value(); };
        return pieces == 1 ?
                   index :
                   index - piece * values() * digit.stride - rows() * (digit.room - room()) * digit.stride;
    }
};

// What a thread does between two barriers: it loads words, computes, and stores words.
class Section {
public:
    explicit Section(Stmt made) : made_(std::move(made)) {}

    // The same with words in registers.
    Stmt computed(Words &words) {
        struct Computing : IRMutator {
            using IRMutator::visit;
            Computing(Section &section, Words &words) : section(section), words(words) {}
            Expr visit(const Load *load) override {
                if (load->name != words.shared) {
                    return IRMutator::visit(load);
                }
                const int slot = section.slot(load);
                words.most_loaded = std::max(words.most_loaded, slot + 1);
                const auto half = [&](int number) {
                    return cast(UInt(64), Words::load(words.loaded, section.place(slot, number)));
                };
                return half(1) * make_const(UInt(64), (int64_t)1 << 32) | half(0);
            }
            Stmt visit(const Store *store) override {
                if (store->name != words.shared) {
                    return IRMutator::visit(store);
                }
                const std::string name = unique_name("word");
                const Expr word = Variable::make(UInt(64), name);
                const int slot = stored++;
                words.most_kept = std::max(words.most_kept, stored);
                const Expr halves[] = {cast(UInt(32), word),
                    cast(UInt(32), word / make_const(UInt(64), (int64_t)1 << 32))};
                return LetStmt::make(name, mutate(store->value),
                    Block::make(Words::store(words.kept, halves[0], section.place(slot, 0)),
                        Words::store(words.kept, halves[1], section.place(slot, 1))));
            }
            Section &section;
            Words &words;
            int stored = 0;
        } computing(*this, words);
        return computing.mutate(made_);
    }

    // A half of the words of a piece, from registers to shared memory: nothing else of the section.
    Stmt put(const Words &words, const Part &part) {
        struct Putting : Alone {
            using Alone::Alone, Alone::visit;
            Stmt visit(const Store *store) override {
                if (store->name != words.shared) {
                    return Evaluate::make(0);
                }
                const Expr kept = Words::load(words.kept, section.place(stored++, part.half));
                return part.where_has(
                    store->index, Words::store(words.shared, kept, part.place(store->index)));
            }
            int stored = 0;
        } putting(*this, words, part);
        return putting.mutate(made_);
    }

    // The same from shared memory to registers.
    Stmt get(const Words &words, const Part &part) {
        struct Getting : Alone {
            using Alone::Alone, Alone::visit;
            Stmt visit(const LetStmt *let) override {
                return gets(let->value, [&] { return Alone::visit(let); });
            }
            Stmt visit(const Store *store) override {
                return gets(store->value, [] { return Evaluate::make(0); });
            }
            // The words that are loaded for a value, and then the rest of the statement. What is loaded in it
            // is in the same piece.
            Stmt gets(const Expr &value, const std::function<Stmt()> &rest) {
                struct Loads : IRVisitor {
                    using IRVisitor::visit;
                    explicit Loads(const std::string &from) : from(from) {}
                    void visit(const Load *load) override {
                        if (load->name == from) {
                            all.push_back(load);
                        }
                        IRVisitor::visit(load);
                    }
                    const std::string &from;
                    std::vector<const Load *> all;
                } loads(words.shared);
                value.accept(&loads);
                if (loads.all.empty()) {
                    return rest();
                }
                std::vector<Stmt> all;
                for (const Load *load : loads.all) {
                    all.push_back(
                        Words::store(words.loaded, Words::load(words.shared, part.place(load->index)),
                            section.place(section.slot(load), part.half)));
                }
                const bool is_first = !std::exchange(is_in_piece, true);
                all.push_back(rest());
                is_in_piece = !is_first;
                const Stmt made = Block::make(all);
                return is_first ? part.where_has(loads.all[0]->index, made) : made;
            }
            bool is_in_piece = false;
        } getting(*this, words, part);
        return getting.mutate(made_);
    }

private:
    const Stmt made_;
    std::map<const Load *, int> slots_;

    int slot(const Load *load) {
        return slots_.emplace(load, (int)slots_.size()).first->second;
    }
    static Expr place(int slot, int half) {
        return 2 * slot + half;
    }

    // What moves words has nothing of what computes them.
    struct Alone : IRMutator {
        using IRMutator::visit;
        Alone(Section &section, const Words &words, const Part &part)
            : section(section), words(words), part(part) {}
        Expr visit(const Load *load) override {
            return load->name == words.shared ? zero() : IRMutator::visit(load);
        }
        Stmt visit(const Free *) override {
            return Evaluate::make(0);
        }
        Section &section;
        const Words &words;
        const Part &part;
    };
};

// The body of a loop over threads as sections, and what is around them.
struct Sections {
    std::vector<Section> all;
    Stmt barrier;
    std::vector<std::function<Stmt(Stmt)>> around;

    explicit Sections(const Stmt &body) {
        take(body);
        all.emplace_back(std::exchange(open, Stmt()));
    }

private:
    Stmt open;

    void take(const Stmt &part) {
        if (is_barrier(part)) {
            barrier = part;
            all.emplace_back(std::exchange(open, Stmt()));
        } else if (!has_barrier(part)) {
            open = open.defined() ? Block::make(open, part) : part;
        } else if (const Block *block = part.as<Block>()) {
            take(block->first);
            take(block->rest);
        } else if (const ProducerConsumer *named = part.as<ProducerConsumer>()) {
            take(named->body);
        } else if (const LetStmt *let = part.as<LetStmt>()) {
            around.emplace_back([let](const Stmt &s) { return LetStmt::make(let->name, let->value, s); });
            take(let->body);
        } else if (const Allocate *own = part.as<Allocate>()) {
            around.emplace_back([own](const Stmt &s) {
                return Allocate::make(own->name, own->type, own->memory_type, own->extents, own->condition, s);
            });
            take(own->body);
        } else {
            _halide_user_error << "exchange_in_parts: a barrier is in a loop or under a condition\n";
        }
    }
};

class ExchangeInParts : public IRMutator, public DescribedPass {
public:
    explicit ExchangeInParts(PartedExchange exchange) : exchange_(std::move(exchange)) {}
    std::string description() const override {
        return exchange_.func + " is exchanged in 2 x " + std::to_string(exchange_.pieces) + " parts";
    }

protected:
    using IRMutator::visit;

    Stmt visit(const Allocate *memory) override {
        if (memory->memory_type != Halide::MemoryType::GPUShared ||
            !memory->name.starts_with(exchange_.func + ".")) {
            return IRMutator::visit(memory);
        }
        const int size = memory->constant_allocation_size();
        _halide_user_assert(memory->type == UInt(64) && size > 0)
            << "exchange_in_parts: '" << exchange_.func << "' is no fixed number of words of 64 bits\n";
        words_ = {.shared = memory->name,
            .kept = unique_name(exchange_.func + "_kept"),
            .loaded = unique_name(exchange_.func + "_loaded")};
        int largest = exchange_.pieces == 1 ? size : 0;
        for (size_t i = 0; exchange_.pieces > 1 && i < exchange_.digits.size(); i++) {
            const Part part = part_of(i, 0);
            _halide_user_assert(part.digit.values % part.pieces == 0)
                << "exchange_in_parts: " << part.pieces << " pieces of " << part.digit.values << " values\n";
            largest = std::max(largest, size / part.digit.room * part.room());
        }
        const Stmt body = mutate(memory->body);
        words_.shared.clear();
        return simplify(
            Allocate::make(memory->name, UInt(32), memory->memory_type, {largest}, const_true(), body));
    }

    // The innermost loop over threads.
    Stmt visit(const For *loop) override {
        struct Inner : IRVisitor {
            using IRVisitor::visit;
            void visit(const For *loop) override {
                found = found || loop->for_type == ForType::GPUThread;
            }
            bool found = false;
        } inner;
        loop->body.accept(&inner);
        const bool is_of_threads = loop->for_type == ForType::GPUThread;
        const ScopedBinding<Interval> bind(is_of_threads, bounds_, loop->name,
            Interval(loop->min, simplify(loop->min + loop->extent - 1)));
        if (words_.shared.empty() || !is_of_threads || inner.found) {
            return IRMutator::visit(loop);
        }
        Sections sections(loop->body);
        std::vector<Section> &all = sections.all;
        _halide_user_assert(all.size() == exchange_.digits.size() + 1)
            << "exchange_in_parts: '" << exchange_.func << "' is exchanged " << all.size() - 1 << " times\n";
        std::vector<Stmt> done = {all[0].computed(words_)};
        for (size_t i = 1; i < all.size(); i++) {
            const int parts = 2 * exchange_.pieces;
            for (int number = 0; number < parts; number++) {
                const Part part = part_of(i - 1, number);
                done.insert(
                    done.end(), {all[i - 1].put(words_, part), sections.barrier, all[i].get(words_, part)});
                if (number + 1 < parts || i + 1 < all.size()) {
                    done.push_back(sections.barrier);
                }
            }
            done.push_back(all[i].computed(words_));
        }
        Stmt body = Block::make(done);
        while (!sections.around.empty()) {
            body = sections.around.back()(body);
            sections.around.pop_back();
        }
        const auto in_registers = [&](const std::string &name, int words) {
            body = Allocate::make(name, UInt(32), Halide::MemoryType::Stack, {2 * words}, const_true(),
                Block::make(body, Free::make(name)));
        };
        in_registers(words_.kept, words_.most_kept);
        in_registers(words_.loaded, words_.most_loaded);
        return For::make(loop->name, loop->min, loop->extent, loop->for_type, loop->partition_policy,
            loop->device_api, body);
    }

private:
    const PartedExchange exchange_;
    Words words_;
    Scope<Interval> bounds_;

    Part part_of(size_t exchange, int number) const {
        return {exchange_.digits[exchange], exchange_.pieces, number / exchange_.pieces,
            number % exchange_.pieces, bounds_};
    }
};

}  // namespace

void exchange_in_parts(Halide::Pipeline &pipeline, const PartedExchange &exchange) {
    pipeline.add_custom_lowering_pass(new ExchangeInParts(exchange));
}

}  // namespace tilewright
