// The cache of weights and tables: what is kept, what is dropped, and that several threads make a value once.
#include "generators/algorithms/cache.h"
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tilewright {

TEST(Cache, KeepsTheValuesThatWereUsedLast) {
    Cache<std::string, int> cache(2);
    int made = 0;
    const auto get = [&](const char *key) { return *cache.get(key, [&] { return ++made; }); };
    EXPECT_EQ(get("a"), 1);
    EXPECT_EQ(get("b"), 2);
    EXPECT_EQ(get("a"), 1);
    EXPECT_EQ(get("c"), 3);  // drops b, because a was used after it
    EXPECT_EQ(get("a"), 1);
    EXPECT_EQ(get("b"), 4);
}

TEST(Cache, WhatWasDroppedStaysWithItsUsers) {
    Cache<int, std::string> cache(1);
    const auto first = cache.get(1, [] { return "first"; });
    cache.get(2, [] { return "second"; });
    EXPECT_EQ(*first, "first");
    EXPECT_EQ(first.use_count(), 1);
}

TEST(Cache, KeepsNothingWhenMakingFails) {
    Cache<int, int> cache(4);
    EXPECT_THROW(cache.get(1, []() -> int { throw std::runtime_error("no value"); }), std::runtime_error);
    EXPECT_EQ(*cache.get(1, [] { return 5; }), 5);
}

TEST(Cache, SeveralThreadsMakeAValueOnce) {
    Cache<int, int> cache(64);
    std::atomic<int> made = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++) {
        threads.emplace_back([&] {
            for (int key = 0; key < 64; key++) {
                cache.get(key, [&] { return ++made; });
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(made, 64);
}

}  // namespace tilewright
