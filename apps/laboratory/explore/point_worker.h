#pragma once
// The search's side of the process that measures points (point_server.h).
#include "apps/tilewright/processes/line_reader.h"
#include "apps/tilewright/terminal/json.h"
#include "runtime/process/descriptor.h"
#include <atomic>
#include <string>
#include <sys/types.h>

namespace tilewright::app {

// A process that is started for the first task, and again after one that it did not survive. It ends with
// this program, however that ends.
class PointWorker {
public:
    // `interrupted` is set where a signal asked this program to end; it outlives the worker.
    explicit PointWorker(const std::atomic<bool> &interrupted) : interrupted_(interrupted) {}
    ~PointWorker();
    PointWorker(const PointWorker &) = delete;
    PointWorker &operator=(const PointWorker &) = delete;

    // The answer to a task. Where the process crashes, or has no answer after `limit_s` seconds, it is
    // {"failed": "the reason"}; where a signal asked this program to end, it is {"interrupted": true}.
    // Errors: failed, when the process cannot be started.
    Json ask(const Json &task, double limit_s);

    // Ends the process; the next task starts a new one.
    void stop();

private:
    void start();
    std::string ending();  // what became of it, with the last line that it wrote to standard error

    const std::atomic<bool> &interrupted_;
    pid_t process_ = -1;
    Descriptor tasks_, answers_, said_;
    LineReader answers_read_;
};

}  // namespace tilewright::app
