# Checks the name and the files of a call of tilewright_add_operator. The caller has them as arg_...; its
# files become absolute names there.
function(tilewright_check_operator usage op)
    if (TARGET Tilewright::${op})
        message(FATAL_ERROR "${usage}: there is an operator of that name; take another")
    endif ()
    foreach (option GENERATOR SCHEDULES FRONT)
        if (NOT arg_${option})
            message(FATAL_ERROR "${usage}: ${option} is missing")
        endif ()
    endforeach ()
    foreach (option GENERATOR SCHEDULES FRONT PLAIN WORKLOAD)
        set(files "")
        foreach (file IN LISTS arg_${option})
            get_filename_component(file ${file} ABSOLUTE)
            if (NOT EXISTS ${file})
                message(FATAL_ERROR "${usage}: ${option} ${file}: there is no such file")
            endif ()
            list(APPEND files ${file})
        endforeach ()
        set(arg_${option} ${files} PARENT_SCOPE)
    endforeach ()
endfunction()

# tilewright_add_operator(NAME GENERATOR file.cpp SCHEDULES file.cpp FRONT file.cpp...
#                         [PLAIN file.cpp...] [WORKLOAD file.cpp...]
#                         [TARGETS cpu cuda opencl sm_NN] [EMIT stmt_html ptx opencl_c assembly])
#
# An operator, of our own tree and of a project against the installed package alike (examples/own_operator):
#   GENERATOR  the Halide generators of the operator's forms; it includes their definitions
#   SCHEDULES  the schedules, and the table of their variants
#   FRONT      the operator for programs: const Operator &tilewright::NAME_operator(), and what else belongs
#              to it
#   PLAIN      its definition as a plain loop, Array tilewright::plain::NAME(inputs, settings, backend), with
# which programs that verify compare results (tilewright/plain.h); without it, they use the variant
#              `reference`
#   WORKLOAD   std::unique_ptr<Workload> tilewright::NAME_workload(const Operator &), the data to verify and
#              to time it with (tilewright/workload.h); without it, random images of the table's types
#   TARGETS    cpu, cuda, opencl; without it, the targets that the package was built for. sm_NN is the compute
#              capability of the oldest CUDA devices that are served, as for tilewright_add_library
#   EMIT       keeps what Halide made beside the libraries, in the folder that the target's property
#              TILEWRIGHT_FOLDER names
# It makes the generator program NAME.generator and the static library Tilewright::NAME: the front and the
# table. It links Tilewright::NAME_cpu, _cuda and _opencl, which have the libraries of a target.
# tilewright_add_program(PROGRAM OPERATORS NAME) makes the command line
# with it (add_library.cmake).
function(tilewright_add_operator op)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "GENERATOR;SCHEDULES" "FRONT;PLAIN;WORKLOAD;TARGETS;EMIT")
    set(usage "tilewright_add_operator(${op})")
    tilewright_check_call("${usage}" "${op}"
        "GENERATOR, SCHEDULES, FRONT, PLAIN, WORKLOAD, TARGETS and EMIT")
    tilewright_check_operator("${usage}" "${op}")

    set(folder ${CMAKE_CURRENT_BINARY_DIR}/libraries/${op})
    set(made_in ${folder})
    set(made "")
    if (TILEWRIGHT_GENERATORS)  # CMakeLists.txt
        set(made_in ${TILEWRIGHT_GENERATORS}/libraries/${op})
        set(made MADE)
        file(MAKE_DIRECTORY ${folder})  # for archives' objects (tilewright_merge)
        add_executable(${op}.generator IMPORTED GLOBAL)
        set_target_properties(${op}.generator PROPERTIES
            IMPORTED_LOCATION ${TILEWRIGHT_GENERATORS}/${op}.generator)
    else ()
        tilewright_add_generator(${op}.generator ${arg_GENERATOR} ${arg_SCHEDULES})
    endif ()
    tilewright_libraries(${op}
        GENERATOR ${op}.generator
        OPERATOR ${op}
        FOLDER ${made_in}
        TARGETS ${arg_TARGETS}
        CAPABILITY ${capability}
        EMIT ${arg_EMIT}
        ${made})

    # The front is a target apart, so that it is compiled while the libraries are made.
    set(target tilewright_${op})
    add_library(${target}_front OBJECT ${arg_FRONT})
    set_target_properties(${target}_front PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_SCAN_FOR_MODULES OFF UNITY_BUILD_BATCH_SIZE 0)
    # Fronts include private headers ("runtime/dispatch/...").
    target_include_directories(${target}_front PRIVATE ${TILEWRIGHT_SHARE})
    target_include_directories(${target}_front SYSTEM PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
    target_compile_features(${target}_front PRIVATE cxx_std_20)
    target_link_libraries(${target}_front PRIVATE Tilewright::runtime)
    add_library(${target} STATIC $<TARGET_OBJECTS:${target}_front> ${TABLE_CPP})
    add_library(Tilewright::${op} ALIAS ${target})
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${op} POSITION_INDEPENDENT_CODE ON CXX_SCAN_FOR_MODULES OFF
        TILEWRIGHT_FOLDER ${made_in} TILEWRIGHT_PLAIN "${arg_PLAIN}" TILEWRIGHT_WORKLOAD "${arg_WORKLOAD}")
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_link_libraries(${target} PUBLIC Tilewright::runtime)

    # The libraries of a target are an archive apart, so that a program may be linked without them. The
    # package says which of them are linked (TilewrightConfig.cmake).
    foreach (backend IN LISTS arg_TARGETS)
        set(part ${target}_${backend})
        add_library(${part} STATIC ${made_in}/${op}_${backend}_libraries.cpp)
        add_library(Tilewright::${op}_${backend} ALIAS ${part})
        set_target_properties(${part} PROPERTIES
            EXPORT_NAME ${op}_${backend} POSITION_INDEPENDENT_CODE ON CXX_SCAN_FOR_MODULES OFF)
        target_compile_features(${part} PUBLIC cxx_std_20)
        target_include_directories(${part} SYSTEM PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
        target_link_libraries(${part} PUBLIC Tilewright::runtime)
        tilewright_merge(${part} ${folder} ${made_in}/${op}_${backend}.libraries)
        target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:${part}>)
    endforeach ()
endfunction()
