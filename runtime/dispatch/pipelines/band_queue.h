#pragma once
// What the three threads of process() hand to each other. Not installed.
#include "tilewright/error.h"
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace tilewright {

// A place for one band between the thread that gives it and the one that takes it.
template<typename T>
class BandQueue {
public:
    // Closes the queue, however a function ends.
    class CloseAtEnd {
    public:
        explicit CloseAtEnd(BandQueue &queue) : queue_(queue) {}
        ~CloseAtEnd() {
            queue_.close();
        }
        CloseAtEnd(const CloseAtEnd &) = delete;

    private:
        BandQueue &queue_;
    };

    // Waits for the place to be empty. False where the queue was closed.
    bool push(T item) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || !item_; });
        if (!is_closed_) {
            item_.emplace(std::move(item));
            changed_.notify_all();
        }
        return !is_closed_;
    }

    // Waits for an item. Nothing where the queue was closed and is empty.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || item_; });
        changed_.notify_all();
        return std::exchange(item_, std::nullopt);
    }

    void close() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<T> item_;
    bool is_closed_ = false;
};

// A thread at one end of a queue, which it closes when it ends.
class BandThread {
public:
    template<typename T, typename Work>
    BandThread(BandQueue<T> &queue, Work work) try
        : thread_([this, &queue, work = std::move(work)] {
              try {
                  work();
              } catch (...) {
                  error_ = std::current_exception();
              }
              queue.close();
          }) {
    } catch (const std::system_error &) {
        throw Error(Fault::failed, "the system starts no thread; raise the limit of processes (`ulimit -u`)");
    }
    ~BandThread() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    BandThread(const BandThread &) = delete;

    // Waits for its end, and throws what it threw.
    void join() {
        thread_.join();
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

private:
    std::exception_ptr error_;  // made before the thread, which writes it
    std::thread thread_;
};

}  // namespace tilewright
