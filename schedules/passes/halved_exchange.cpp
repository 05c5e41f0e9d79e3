// Exchanges words of shared memory in halves.
#include "schedules/passes/halved_exchange.h"
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
                loaded++;
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
                const Expr halves[] = {
                    cast(UInt(32), word), cast(UInt(32), word / make_const(UInt(64), (int64_t)1 << 32))};
                return LetStmt::make(name, mutate(store->value),
                    Block::make(Words::store(words.kept, halves[0], section.place(slot, 0)),
                        Words::store(words.kept, halves[1], section.place(slot, 1))));
            }
            Stmt visit(const For *loop) override {
                const int before = stored + loaded;
                Stmt made = IRMutator::visit(loop);
                _halide_user_assert(stored + loaded == before)
                    << "exchange_in_halves: the loop over '" << loop->name
                    << "' has words in it; unroll it, because words are in registers\n";
                return made;
            }
            Section &section;
            Words &words;
            int stored = 0, loaded = 0;
        } computing(*this, words);
        return computing.mutate(made_);
    }

    // A half of the words, from registers to shared memory: nothing else of the section.
    Stmt put(const Words &words, int half) {
        struct Putting : Alone {
            using Alone::Alone, Alone::visit;
            Stmt visit(const Store *store) override {
                if (store->name != words.shared) {
                    return Evaluate::make(0);
                }
                const Expr kept = Words::load(words.kept, section.place(stored++, half));
                return Words::store(words.shared, kept, store->index);
            }
            int stored = 0;
        } putting(*this, words, half);
        return putting.mutate(made_);
    }

    // The same from shared memory to registers.
    Stmt get(const Words &words, int half) {
        struct Getting : Alone {
            using Alone::Alone, Alone::visit;
            Stmt visit(const LetStmt *let) override {
                return gets(let->value, Alone::visit(let));
            }
            Stmt visit(const Store *store) override {
                return gets(store->value, Evaluate::make(0));
            }
            // The words that are loaded for a value, and then the rest of the statement.
            Stmt gets(const Expr &value, const Stmt &rest) {
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
                std::vector<Stmt> all;
                for (const Load *load : loads.all) {
                    all.push_back(Words::store(words.loaded, Words::load(words.shared, load->index),
                        section.place(section.slot(load), half)));
                }
                all.push_back(rest);
                return Block::make(all);
            }
        } getting(*this, words, half);
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
        Alone(Section &section, const Words &words, int half) : section(section), words(words), half(half) {}
        Expr visit(const Load *load) override {
            return load->name == words.shared ? zero() : IRMutator::visit(load);
        }
        Stmt visit(const Free *) override {
            return Evaluate::make(0);
        }
        Section &section;
        const Words &words;
        const int half;
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
                return Allocate::make(
                    own->name, own->type, own->memory_type, own->extents, own->condition, s);
            });
            take(own->body);
        } else {
            _halide_user_error << "exchange_in_halves: a barrier is in a loop or under a condition\n";
        }
    }
};

class ExchangeInHalves : public IRMutator, public DescribedPass {
public:
    explicit ExchangeInHalves(std::string func) : func_(std::move(func)) {}
    std::string description() const override {
        return func_ + " is exchanged in halves";
    }

protected:
    using IRMutator::visit;

    Stmt visit(const Allocate *memory) override {
        if (memory->memory_type != Halide::MemoryType::GPUShared || !memory->name.starts_with(func_ + ".")) {
            return IRMutator::visit(memory);
        }
        _halide_user_assert(memory->type == UInt(64))
            << "exchange_in_halves: '" << func_ << "' does not have words of 64 bits\n";
        words_ = {.shared = memory->name,
            .kept = unique_name(func_ + "_kept"),
            .loaded = unique_name(func_ + "_loaded")};
        const Stmt body = mutate(memory->body);
        words_.shared.clear();
        return simplify(Allocate::make(
            memory->name, UInt(32), memory->memory_type, memory->extents, memory->condition, body));
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
        if (words_.shared.empty() || loop->for_type != ForType::GPUThread || inner.found) {
            return IRMutator::visit(loop);
        }
        Sections sections(loop->body);
        std::vector<Section> &all = sections.all;
        std::vector<Stmt> done = {all[0].computed(words_)};
        for (size_t i = 1; i < all.size(); i++) {
            for (const int half : {0, 1}) {
                done.insert(
                    done.end(), {all[i - 1].put(words_, half), sections.barrier, all[i].get(words_, half)});
                if (half == 0 || i + 1 < all.size()) {
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
    const std::string func_;
    Words words_;
};

}  // namespace

void exchange_in_halves(Halide::Pipeline &pipeline, const std::string &func) {
    pipeline.add_custom_lowering_pass(new ExchangeInHalves(func));
}

}  // namespace tilewright
