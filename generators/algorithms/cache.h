#pragma once
// A cache of values that are expensive to make and depend on a few numbers: weights, tables, twiddle factors.
// Plain C++ without Halide.h: host code uses it too.
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace tilewright {

// Keeps the values of the keys that were used last, at most `most` of them. Any thread may use it at any
// time. Keys are compared by ==, one after another: `most` is small. make() must not ask the same cache; what
// it throws is handed on, and nothing is kept then. A cache that all calls share is never destroyed, because
// other threads may call while the program ends:
//     static auto &cache = *new Cache<double, Weights>(64);
template<class Key, class Value>
class Cache {
public:
    explicit Cache(size_t most) : most_(most) {}
    Cache(const Cache &) = delete;

    // The value of the key, or make() where it is not there. Other threads wait while it is made.
    template<class Make>
    std::shared_ptr<const Value> get(const Key &key, Make make) {
        const std::lock_guard lock(mutex_);
        if (std::shared_ptr<const Value> known = found(key)) {
            return known;
        }
        auto made = std::make_shared<const Value>(make());
        entries_.emplace_front(key, made);
        if (entries_.size() > most_) {
            entries_.pop_back();
        }
        return made;
    }

    // The value of the key; null where it is not there. For values that come from a later step of a plan,
    // which puts them there by get().
    std::shared_ptr<const Value> find(const Key &key) {
        const std::lock_guard lock(mutex_);
        return found(key);
    }

private:
    std::shared_ptr<const Value> found(const Key &key) {
        for (auto at = entries_.begin(); at != entries_.end(); ++at) {
            if (at->first == key) {
                entries_.splice(entries_.begin(), entries_, at);  // the one that was used last is the first
                return at->second;
            }
        }
        return nullptr;
    }

    const size_t most_;
    std::mutex mutex_;
    std::list<std::pair<Key, std::shared_ptr<const Value>>> entries_;
};

}  // namespace tilewright
