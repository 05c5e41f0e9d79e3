#pragma once

namespace tilewright {

// Asks each autoscheduler that a row says it is declined by, and holds its words against the row's. Returns
// the exit code.
int check_declined();

}  // namespace tilewright
