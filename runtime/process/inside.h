#pragma once
// What a call does while the program ends. Not installed.

namespace tilewright {

// Lives while a thread is inside the library. After main(), and once the destructors of all static objects ran, exit() waits for the threads
// that are inside; others that want to come in wait until the process is gone. Then Halide's runtime ends its threads and gives back what it has
// on devices: whoever still computed would find nothing there.
//
// Until then threads go on. So nothing static that a call needs may have a destructor: it is made with `new`, and never destroyed.
class Inside {
public:
    Inside() noexcept;
    ~Inside();
    Inside(const Inside &) = delete;
};

// Lives while a thread is inside a driver. Drivers end before static objects do, since they were loaded later: exit() waits for the threads that
// are inside, and others get an Error of the class device.
class InsideDriver {
public:
    InsideDriver();
    ~InsideDriver();
    InsideDriver(const InsideDriver &) = delete;
};

// Before such an Error leaves the library, where no lock is held any more: two seconds, which the process does not live to see, unless the end of
// the program waits for this very thread (a static object may join its threads).
void wait_where_drivers_have_ended();

// For what has to go on without the drivers. The thread that ends the program may use them still.
bool drivers_have_ended();

// To be called when a driver was loaded or may have come to need something more that it destroys at the end: that happens after what is
// registered here, `finish` being the last use of the drivers.
void drivers_end_here(void (*finish)());

}  // namespace tilewright
