// How the threads of a warp reach memory together: from the loop nest of a kernel to lines of a table.
#include "generators/program/accesses/warp_accesses.h"
#include "generators/program/accesses/lanes.h"
#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

namespace tilewright {

namespace {

using namespace Halide::Internal;

using Mask = std::array<bool, warp_size>;

// What a warp did at one place of the statements.
struct Access {
    std::string kernel, space, what, buffer;
    int bytes = 0, count = 1;
    int passes = 0, least = 0;
    std::string depends_on = {};

    auto key() const {
        return std::tie(kernel, space, what, buffer, bytes, passes, least, depends_on);
    }
};

// The addresses of the threads that take part.
std::vector<int64_t> addresses_of(const Lanes &index, int64_t scale, const Mask &active) {
    std::vector<int64_t> addresses;
    for (size_t i = 0; i < warp_size; i++) {
        if (active[i]) {
            addresses.push_back(*index.values[i] * scale);
        }
    }
    return addresses;
}

// 128 bytes at a time: 32 threads of up to 4 bytes, 16 of 8, 8 of 16. Two words of one bank need two passes.
void count_passes(Access &access, const std::vector<int64_t> &addresses) {
    constexpr int64_t word = 4, banks = 32;
    const size_t at_once = warp_size / (size_t)std::max<int64_t>(1, access.bytes / word);
    for (size_t begin = 0; begin < addresses.size(); begin += at_once) {
        std::map<int64_t, std::set<int64_t>> words_of_bank;
        for (size_t i = begin; i < std::min(addresses.size(), begin + at_once); i++) {
            for (int64_t byte = 0; byte < access.bytes; byte += word) {
                const int64_t at = div_imp(addresses[i] + byte, word);
                words_of_bank[mod_imp(at, banks)].insert(at);
            }
        }
        size_t most = 0;
        for (const auto &[bank, words] : words_of_bank) {
            most = std::max(most, words.size());
        }
        access.passes += (int)most;
        access.least++;
    }
}

void count_sectors(Access &access, const std::vector<int64_t> &addresses) {
    constexpr int64_t sector = 32;
    std::set<int64_t> sectors, places;
    for (const int64_t address : addresses) {
        places.insert(address);
        for (int64_t byte = 0; byte < access.bytes; byte++) {
            sectors.insert(div_imp(address + byte, sector));
        }
    }
    access.passes = (int)sectors.size();
    access.least = (int)(((int64_t)places.size() * access.bytes + sector - 1) / sector);
}

// Runs the statements for one warp of each kernel's middle block.
class Warp : public IRVisitor {
public:
    Warp(int64_t first_thread, const std::map<std::string, int64_t> &values) : first_thread_(first_thread) {
        for (const auto &[name, value] : values) {
            names_[name] = Lanes::all(value);
        }
        given_ = names_;
    }

    // By their places, of which a warp may pass one more than once.
    std::map<const void *, Access> accesses;
    std::vector<const void *> order;
    int64_t largest_block = 0;  // threads

protected:
    using IRVisitor::visit;

    void visit(const LetStmt *let) override {
        let->value.accept(this);
        names_[let->name] = given_.contains(let->name) ? given_[let->name] : evaluate(let->value, names_);
        let->body.accept(this);
    }

    void visit(const Let *let) override {
        let->value.accept(this);
        names_[let->name] = evaluate(let->value, names_);
        let->body.accept(this);
    }

    void visit(const For *loop) override {
        const std::string kernel = kernel_;
        if (loop->for_type == ForType::GPUBlock && kernel_.empty()) {
            kernel_ = name_of_kernel(loop->name);
            threads_.clear();
            std::fill(active_.begin(), active_.end(), true);
        }
        if (loop->for_type == ForType::GPUThread || loop->for_type == ForType::GPULane) {
            visit_threads(loop);
        } else {
            names_[loop->name] = middle_of(loop);
            loop->body.accept(this);
        }
        kernel_ = kernel;
    }

    void visit(const Allocate *allocation) override {
        if (allocation->memory_type == Halide::MemoryType::GPUShared) {
            shared_.insert(allocation->name);
        } else if (!kernel_.empty()) {
            own_.insert(allocation->name);  // registers or local memory
        }
        IRVisitor::visit(allocation);
    }

    void visit(const IfThenElse *branch) override {
        branch->condition.accept(this);
        const Lanes condition = evaluate(branch->condition, names_);
        const Mask before = active_;
        for (size_t i = 0; i < warp_size; i++) {
            active_[i] = before[i] && condition.values[i].value_or(1) != 0;
        }
        branch->then_case.accept(this);
        if (branch->else_case.defined()) {
            for (size_t i = 0; i < warp_size; i++) {
                active_[i] = before[i] && condition.values[i].value_or(0) == 0;
            }
            branch->else_case.accept(this);
        }
        active_ = before;
    }

    void visit(const Load *load) override {
        add(load, "load", load->name, load->type, load->index);
        IRVisitor::visit(load);
    }

    void visit(const Store *store) override {
        IRVisitor::visit(store);
        add(store, "store", store->name, store->value.type(), store->index);
    }

private:
    // The name as Halide makes it of the outermost loop over blocks.
    std::string name_of_kernel(const std::string &loop) {
        const int before = kernels_[loop]++;
        return c_print_name("kernel_" + loop + (before ? "$" + std::to_string(before) : ""));
    }

    // The extent of a loop over blocks or threads, which the launch knows best: "KERNEL.grid.x",
    // "KERNEL.block.y".
    Lanes extent_of(const For *loop, const char *of_launch) {
        const auto launched = given_.find(kernel_ + "." + of_launch + "." + loop->name.back());
        return launched != given_.end() ? launched->second : evaluate(loop->extent, names_);
    }

    Lanes middle_of(const For *loop) {
        const Lanes extent = extent_of(loop, loop->for_type == ForType::GPUBlock ? "grid" : "loop");
        Lanes middle = evaluate(loop->min, names_);
        for (size_t i = 0; i < warp_size; i++) {
            if (extent.values[i] && middle.values[i]) {
                *middle.values[i] += *extent.values[i] / 2;
            }
        }
        return middle;
    }

    // Loops over threads are nested z, y, x. Only the innermost one knows all extents.
    void visit_threads(const For *loop) {
        const Lanes extent = extent_of(loop, "block"), least = evaluate(loop->min, names_);
        const bool blocks_known = blocks_known_;
        blocks_known_ = blocks_known && extent.known();
        const auto before = threads_;
        if (threads_.empty()) {
            active_in_block_ = active_;
        }
        threads_.push_back(
            {loop->name, std::max<int64_t>(1, extent.values[0].value_or(1)), least.values[0].value_or(0)});
        const Mask active = active_;
        int64_t inner = 1;
        // NOLINTNEXTLINE(modernize-loop-convert): clang 14 cannot compile std::views::reverse
        for (auto thread = threads_.rbegin(); thread != threads_.rend(); ++thread) {
            Lanes index;
            for (size_t i = 0; i < warp_size; i++) {
                const int64_t linear = first_thread_ + (int64_t)i;
                index.values[i] = thread->least + linear / inner % thread->extent;
            }
            names_[thread->name] = blocks_known_ ? index : Lanes::unknown("the threads of a block");
            inner *= thread->extent;
        }
        largest_block = std::max(largest_block, inner);
        for (size_t i = 0; i < warp_size; i++) {
            active_[i] = active_in_block_[i] && first_thread_ + (int64_t)i < inner;
        }
        loop->body.accept(this);
        active_ = active;
        threads_ = before;
        blocks_known_ = blocks_known;
    }

    void add(const void *place, const char *what, const std::string &buffer, const Halide::Type &type,
        const Halide::Expr &index) {
        const bool in_threads = !kernel_.empty() && !threads_.empty();
        const bool none = std::none_of(active_.begin(), active_.end(), [](bool a) { return a; });
        if (!in_threads || none || own_.contains(buffer)) {
            return;
        }
        Access access{kernel_, shared_.contains(buffer) ? "shared" : "global", what, buffer};
        const auto *ramp = index.as<Ramp>();
        const auto stride = ramp ? as_const_int(ramp->stride) : std::nullopt;
        const auto *same = index.as<Broadcast>();
        const Halide::Expr first = ramp ? ramp->base : same ? same->value : index;
        constexpr int widest = 16;
        access.bytes = type.bytes();
        if (stride && *stride == 1) {
            access.bytes = std::min(widest, type.bytes() * type.lanes());
            access.count = std::max(1, type.bytes() * type.lanes() / widest);
        } else if (ramp) {
            access.count = type.lanes();
        }
        const Lanes lanes =
            first.type().is_scalar() ? evaluate(first, names_) : Lanes::unknown("a vector of addresses");
        if (!lanes.known()) {
            access.depends_on = lanes.why;
        } else {
            const std::vector<int64_t> addresses = addresses_of(lanes, type.bytes(), active_);
            access.space == "shared" ? count_passes(access, addresses) : count_sectors(access, addresses);
        }
        if (accesses.emplace(place, access).second) {
            order.push_back(place);
        }
    }

    struct Threads {
        std::string name;
        int64_t extent, least;
    };

    const int64_t first_thread_;
    LanesByName names_, given_;
    std::string kernel_;
    std::map<std::string, int> kernels_;  // how many kernels a loop was the outermost of
    std::vector<Threads> threads_;        // the loops around, the outermost first
    bool blocks_known_ = true;            // their extents
    std::set<std::string> shared_, own_;
    Mask active_{}, active_in_block_{};  // in front of the loops over threads
};

}  // namespace

std::string accesses_in(const Stmt &statement, const std::map<std::string, int64_t> &values) {
    std::map<const void *, Access> of_place;
    std::vector<const void *> order;
    // Of each place the first warp that has a thread there.
    int64_t threads = warp_size;
    for (int64_t thread = 0; thread < threads; thread += warp_size) {
        Warp warp(thread, values);
        statement.accept(&warp);
        threads = warp.largest_block;
        for (const void *place : warp.order) {
            if (of_place.emplace(place, warp.accesses[place]).second) {
                order.push_back(place);
            }
        }
    }
    std::vector<Access> kinds;
    for (const void *place : order) {
        const Access &access = of_place[place];
        const auto known = std::find_if(
            kinds.begin(), kinds.end(), [&](const Access &kind) { return kind.key() == access.key(); });
        if (known == kinds.end()) {
            kinds.push_back(access);
        } else {
            known->count += access.count;
        }
    }
    std::ostringstream lines;
    for (const Access &a : kinds) {
        lines << a.kernel << "\t" << a.space << "\t" << a.what << "\t" << a.buffer << "\t" << a.bytes << "\t"
              << a.count << "\t" << a.passes << "\t" << a.least << "\t" << a.depends_on << "\n";
    }
    return lines.str();
}

}  // namespace tilewright
