// For builds without ISA-L.
#include "runtime/files/deflate/deflate.h"

namespace tilewright {

std::unique_ptr<Deflater> create_isal_deflater(CompressedBytes) {
    return nullptr;
}

}  // namespace tilewright
