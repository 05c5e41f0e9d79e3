#pragma once
// What cuda_peers has timed so far, kept as it comes.
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace peers {

using Json = nlohmann::ordered_json;

// The runs, as one JSON object at the end, and as lines of a results file (docs/JSON.md) as they come.
class Results {
public:
    // `json`: a file, or - for standard output; empty: none. `lines`: a results file, to which each run is
    // appended; empty: none. `about`: what the object and every line say besides the runs; it begins with
    // `version`. While this object lives, SIGHUP, SIGINT and SIGTERM write the object with what there is, and
    // end the program with 128 and the number of the signal. To be made before any other thread. Throws
    // std::runtime_error, with one sentence, where a file cannot be written.
    Results(std::string json, const std::string &lines, Json about);
    // Writes the object with what there is, unless end() was called.
    ~Results();
    Results(const Results &) = delete;

    // Leaves these signals to this class in all threads that are made from now on; to be called before any
    // other thread is made, as those of CUDA are.
    static void take_signals();

    // Keeps a run, which is in the results file when this returns. Throws as above.
    void add(const Json &run);

    // Writes the object. Throws as above.
    void end();

private:
    void open_lines(const std::string &path);
    void wait_for_signals();
    void write(bool complete);
    void write_what_there_is() noexcept;

    const std::string json_, path_of_lines_;
    const Json about_;
    std::ofstream lines_;
    Json runs_ = Json::array();
    bool written_ = false;
    std::mutex writing_;  // held while one of the files is written
    std::thread thread_;
};

}  // namespace peers
