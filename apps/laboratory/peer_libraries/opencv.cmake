# OpenCV's headers and the two libraries that peers call, where they are installed: TILEWRIGHT_OPENCV_HEADERS,
# TILEWRIGHT_OPENCV_CORE, TILEWRIGHT_OPENCV_IMGPROC; TILEWRIGHT_HAS_OPENCV says that all three are there.
find_path(TILEWRIGHT_OPENCV_HEADERS opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
find_library(TILEWRIGHT_OPENCV_CORE opencv_core)
find_library(TILEWRIGHT_OPENCV_IMGPROC opencv_imgproc)
mark_as_advanced(TILEWRIGHT_OPENCV_HEADERS TILEWRIGHT_OPENCV_CORE TILEWRIGHT_OPENCV_IMGPROC)
set(TILEWRIGHT_HAS_OPENCV OFF)
if (TILEWRIGHT_OPENCV_HEADERS AND TILEWRIGHT_OPENCV_CORE AND TILEWRIGHT_OPENCV_IMGPROC)
    set(TILEWRIGHT_HAS_OPENCV ON)
endif ()

# tilewright_uses_opencv(TARGET SOURCE): where OpenCV is installed, gives the target a file that calls it, and
# defines TILEWRIGHT_OPENCV.
function(tilewright_uses_opencv target source)
    if (TILEWRIGHT_HAS_OPENCV)
        target_sources(${target} PRIVATE ${source})
        target_compile_definitions(${target} PRIVATE TILEWRIGHT_OPENCV)
        target_include_directories(${target} SYSTEM PRIVATE ${TILEWRIGHT_OPENCV_HEADERS})
        target_link_libraries(${target} PRIVATE ${TILEWRIGHT_OPENCV_CORE} ${TILEWRIGHT_OPENCV_IMGPROC})
    endif ()
endfunction()
