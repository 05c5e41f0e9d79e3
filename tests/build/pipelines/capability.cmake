# A pipeline for sm_60 is made for the newest capability that Halide knows below it, 5.0, and says so.
# Arguments: PTX, CODE, files of the pipeline.
file(READ ${PTX} ptx)
file(READ ${CODE} code)
if (NOT ptx MATCHES "[.]target sm_50")
    message(FATAL_ERROR "${PTX} is not for sm_50")
endif ()
if (NOT code MATCHES "cuda_libraries_from[(]50[)]" OR NOT code MATCHES "capability = 50")
    message(FATAL_ERROR "${CODE} does not say that the libraries are for 5.0")
endif ()
