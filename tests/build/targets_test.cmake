# What a library is made for, by the generator programs of this build: the CUDA capability that was asked for,
# OpenCL without doubles where nothing computes with them, and the instruction sets of a CPU.
# Arguments: INVERT and MIN_PLUS, two generator programs (the second one may be empty), and WORK, which is
# emptied.
file(REMOVE_RECURSE ${WORK})

# make(GENERATOR WORDS...): makes libraries and the sources of their kernels in WORK.
function(make generator)
    execute_process(COMMAND ${generator} build ${WORK} static_library,ptx,opencl_c ${ARGN}
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if (NOT code EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ended with ${code}:\n${said}")
    endif ()
endfunction()

# expect(FILE WORDS): the file's text matches; with NOT, it does not.
function(expect file)
    file(READ ${WORK}/${file} text)
    set(wrong NO)
    if ("${ARGV1}" STREQUAL "NOT")
        if (text MATCHES "${ARGV2}")
            set(wrong YES)
        endif ()
    elseif (NOT text MATCHES "${ARGV1}")
        set(wrong YES)
    endif ()
    if (wrong)
        message(FATAL_ERROR "${file}: not as it must be: ${ARGN}")
    endif ()
endfunction()

# Asked for: what Halide is told, and what a device must have.
foreach (pair 30=30 50=50 60=50 75=75 80=80 86=86 90=86)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 asked)
    list(GET pair 1 made)
    make(${INVERT} schedule=tuned backend=cuda capability=${asked})
    expect(invert_tuned_u8_cuda.ptx "[.]target sm_${made}")
    expect(invert_cuda_needs.h "invert_tuned_u8_cuda_needs{[0-9]+, 0, ${made}, false, false, false}")
endforeach ()
make(${INVERT} schedule=tuned backend=cuda)
expect(invert_tuned_u8_cuda.ptx "[.]target sm_80")
# A CPU library is for several instruction sets, whose functions have the Halide target in their names, or for
# this machine alone.
make(${INVERT} schedule=tuned backend=cpu)
file(STRINGS ${WORK}/invert_tuned_u8_cpu.a sets REGEX "x86___64___linux___")
make(${INVERT} schedule=tuned backend=cpu cpu=host)
file(STRINGS ${WORK}/invert_tuned_u8_cpu.a host_sets REGEX "x86___64___linux___")
if (NOT sets OR host_sets)
    message(FATAL_ERROR "instruction sets of the portable library: '${sets}'; of the host's: '${host_sets}'")
endif ()
execute_process(COMMAND ${INVERT} list cpu=mine RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
if (code EQUAL 0 OR NOT said MATCHES "cpu 'mine': it is portable .* or host")
    message(FATAL_ERROR "cpu=mine gave ${code}:\n${said}")
endif ()

foreach (asked 20 8.0 new)
    execute_process(COMMAND ${INVERT} list capability=${asked}
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if (code EQUAL 0 OR NOT said MATCHES "CUDA capability '${asked}': Halide 21 writes code for 30")
        message(FATAL_ERROR "capability=${asked} gave ${code}:\n${said}")
    endif ()
endforeach ()

make(${INVERT} schedule=tuned backend=opencl)
expect(invert_tuned_u8_opencl.cl "__kernel")
expect(invert_tuned_u8_opencl.cl NOT "fp64|double")
expect(invert_opencl_needs.h "{[0-9]+, 0, 0, false, false, false}")
if (MIN_PLUS)
    make(${MIN_PLUS} schedule=tuned backend=opencl)
    foreach (type f32 i32)
        expect(min_plus_convolution_tuned_${type}_opencl.cl NOT "fp64|double")
        expect(min_plus_convolution_opencl_needs.h "tuned_${type}_opencl_needs{[0-9]+, [0-9]+, 0, false,")
    endforeach ()
    expect(min_plus_convolution_tuned_f64_opencl.cl "cl_khr_fp64 : enable.*double")
    expect(min_plus_convolution_opencl_needs.h "tuned_f64_opencl_needs{[0-9]+, [0-9]+, 0, true,")
endif ()
