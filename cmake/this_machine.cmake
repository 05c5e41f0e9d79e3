# TILEWRIGHT_THIS_MACHINE: only the libraries that calls on this machine use, which takes a third of the time.
# Results are the same, and so are the choices of variants. What is built runs on this machine alone.
# Runtime and program are compiled by -O1 (compile_time.cmake).
#   cpu     the best instruction set of this CPU, in place of plain x86-64, AVX2 and AVX-512; unless
#           TILEWRIGHT_CPU says portable
#   cuda    only where a driver of NVIDIA has made its device file
#   opencl  only where an OpenCL driver is installed besides PoCL, and can be loaded: PoCL's device is the
#           CPU, which has libraries of its own
if (NOT TILEWRIGHT_CPU)
    set(TILEWRIGHT_CPU host)
endif ()
if (NOT EXISTS /dev/nvidiactl AND NOT EXISTS /dev/dxg)
    list(REMOVE_ITEM TILEWRIGHT_TARGETS cuda)
endif ()
file(GLOB names /etc/OpenCL/vendors/*.icd)
list(FILTER names EXCLUDE REGEX "/pocl[^/]*$")
set(missing 1)
foreach (name IN LISTS names)  # it may name a driver that is not there
    file(STRINGS ${name} driver LIMIT_COUNT 1)
    find_package(Python3 COMPONENTS Interpreter QUIET)
    if (driver AND missing)
        execute_process(COMMAND ${Python3_EXECUTABLE} -c
            "import ctypes, sys; ctypes.CDLL(sys.argv[1].strip())" ${driver}
            RESULT_VARIABLE missing ERROR_QUIET)
    endif ()
endforeach ()
if (missing)
    list(REMOVE_ITEM TILEWRIGHT_TARGETS opencl)
endif ()
list(JOIN TILEWRIGHT_TARGETS ", " targets)
message(STATUS "Libraries for this machine alone: ${targets}")
