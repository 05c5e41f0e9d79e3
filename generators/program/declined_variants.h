#pragma once

namespace tilewright {

// Asks each autoscheduler that a variant says it is declined by, and compares its words with the variant's.
// Returns the exit code.
int check_declined();

}  // namespace tilewright
