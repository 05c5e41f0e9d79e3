#pragma once
// A cache of what is made from parameters: weights, tables, twiddles. Plain C++ without Halide.h: host code
// uses it too.
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace tilewright {

// Keeps the `most` values that were used last. Thread-safe: values are made under the lock, so that each is
// made once. A cache that is shared by all calls is a reference to an object that is never destroyed, because
// other threads may call while the program ends:
//     static auto &cache = *new Cache<double, Weights>(64);
template<class Key, class Value>
class Cache {
public:
    explicit Cache(size_t most) : most_(most) {}
    Cache(const Cache &) = delete;
    Cache &operator=(const Cache &) = delete;

    // The value of `key`; make() gives it where it is not kept. What make() throws is handed on, and nothing
    // is kept then. make() must not ask the same cache.
    template<class Make>
    std::shared_ptr<const Value> get(const Key &key, Make make) {
        const std::lock_guard lock(mutex_);
        for (auto at = entries_.begin(); at != entries_.end(); ++at) {
            if (at->first == key) {
                entries_.splice(entries_.begin(), entries_, at);
                return at->second;
            }
        }
        const std::shared_ptr<const Value> made = std::make_shared<const Value>(make());
        entries_.emplace_front(key, made);
        if (entries_.size() > most_) {
            entries_.pop_back();
        }
        return made;
    }

private:
    const size_t most_;
    std::mutex mutex_;
    std::list<std::pair<Key, std::shared_ptr<const Value>>> entries_;  // the one that was used last is the
                                                                       // first
};

}  // namespace tilewright
