# Generator programs, and the libraries that they make. Our own tree and the package's component `Generators`
# use it, with TILEWRIGHT_SHARE as halide.cmake has it.
include(${CMAKE_CURRENT_LIST_DIR}/cubins.cmake)

# Checks words of a call against the words that it takes.
function(tilewright_check_words function option known)
    foreach (word IN LISTS ARGN)
        if (NOT word IN_LIST known)
            list(JOIN known ", " all)
            message(FATAL_ERROR "${function}: ${option} '${word}' is none of ${all}")
        endif ()
    endforeach ()
endfunction()

# tilewright_take_capability(FUNCTION TARGETS CAPABILITY): takes the word sm_NN, the compute capability of the
# oldest CUDA devices that are served, out of the list that the variable TARGETS holds, and sets the variable
# CAPABILITY to NN. Without that word it is TILEWRIGHT_CUDA_CAPABILITY. With it, cuda is one of the targets.
function(tilewright_take_capability function targets capability)
    set(all ${${targets}})
    set(asked ${all})
    list(FILTER asked INCLUDE REGEX "^sm_[0-9]+$")
    list(LENGTH asked count)
    if (count GREATER 1)
        list(JOIN asked ", " words)
        message(FATAL_ERROR "${function}: TARGETS has ${words}; "
            "a library is for one capability and newer ones")
    endif ()
    if (asked)
        list(REMOVE_ITEM all ${asked})
        list(APPEND all cuda)
        list(REMOVE_DUPLICATES all)
        string(REPLACE sm_ "" number ${asked})
    elseif (TILEWRIGHT_CUDA_CAPABILITY)
        set(number ${TILEWRIGHT_CUDA_CAPABILITY})
    else ()
        set(number 80)
    endif ()
    if (NOT number MATCHES "^[0-9]+$" OR number LESS 30)
        message(FATAL_ERROR "${function}: CUDA capability '${number}': "
            "Halide 21 writes code for 30 (compute capability 3.0) and newer")
    endif ()
    set(${targets} ${all} PARENT_SCOPE)
    set(${capability} ${number} PARENT_SCOPE)
endfunction()

# tilewright_check_call(FUNCTION NAME OPTIONS): checks the words that all functions which make libraries take,
# and which the caller has as arg_... OPTIONS says in words what the function takes. Sets arg_TARGETS in the
# caller, to the package's where the call names none, and `capability`, as tilewright_take_capability does.
function(tilewright_check_call function name options)
    if (arg_UNPARSED_ARGUMENTS)
        list(JOIN arg_UNPARSED_ARGUMENTS " " words)
        message(FATAL_ERROR "${function}: '${words}' belongs to no option; it takes ${options}")
    endif ()
    if (NOT name MATCHES "^[a-z][a-z0-9_]*$")
        message(FATAL_ERROR "${function}: the name is a part of C names: small letters, digits and _")
    endif ()
    if (NOT arg_TARGETS)
        set(arg_TARGETS ${TILEWRIGHT_TARGETS})
    endif ()
    tilewright_take_capability("${function}" arg_TARGETS capability)
    tilewright_check_words("${function}" TARGETS "cpu;cuda;opencl" ${arg_TARGETS})
    tilewright_check_words("${function}" EMIT "stmt_html;ptx;opencl_c;assembly" ${arg_EMIT})
    set(arg_TARGETS ${arg_TARGETS} PARENT_SCOPE)
    set(capability ${capability} PARENT_SCOPE)
endfunction()

# What all programs and object libraries that see Halide.h have in common.
function(tilewright_uses_halide target)
    target_link_libraries(${target} PRIVATE tilewright_halide)
    if (TILEWRIGHT_JEMALLOC)
        target_link_libraries(${target} PRIVATE ${TILEWRIGHT_JEMALLOC})
    endif ()
    target_include_directories(${target} PRIVATE ${TILEWRIGHT_SHARE})
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_options(${target} PRIVATE ${TILEWRIGHT_GENERATOR_OPTIONS})
    target_precompile_headers(${target} REUSE_FROM tilewright_generator_main)
    tilewright_without_sanitizers(${target})
    set_target_properties(${target} PROPERTIES
        POSITION_INDEPENDENT_CODE OFF CXX_EXTENSIONS OFF CXX_SCAN_FOR_MODULES OFF)
endfunction()

# tilewright_add_generator(TARGET SOURCES...): the generator program of an operator, from its
# generators/OP.cpp and one file of schedules.
function(tilewright_add_generator target)
    add_executable(${target} EXCLUDE_FROM_ALL ${ARGN} $<TARGET_OBJECTS:tilewright_generator_main>)
    # As one file where nobody edits schedules (compile_time.cmake).
    if (NOT CMAKE_UNITY_BUILD OR
        (PROJECT_IS_TOP_LEVEL AND NOT TILEWRIGHT_THIS_MACHINE AND NOT TILEWRIGHT_WERROR))
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif ()
    tilewright_uses_halide(${target})
    if (TILEWRIGHT_GENERATOR_ARCHIVE)
        target_link_libraries(${target} PRIVATE tilewright_generator)
    else ()
        target_link_libraries(${target} PRIVATE LibLZMA::LibLZMA)
    endif ()
endfunction()

# tilewright_halide_runtime(GENERATOR FOLDER): the command that makes FOLDER/halide_runtime.o, which is
# Halide's runtime and the handler of errors. One object, because a linker takes both from an archive or none.
function(tilewright_halide_runtime generator folder)
    if (NOT TARGET tilewright_error_handler)
        add_library(tilewright_error_handler OBJECT EXCLUDE_FROM_ALL
            ${TILEWRIGHT_SHARE}/generators/program/errors/error_handler.cpp)
        target_include_directories(tilewright_error_handler PRIVATE ${TILEWRIGHT_HALIDE_INCLUDE})
        target_compile_options(tilewright_error_handler PRIVATE -fno-exceptions -fno-lto)
        target_compile_features(tilewright_error_handler PRIVATE cxx_std_20)
        tilewright_without_sanitizers(tilewright_error_handler)
        set_target_properties(tilewright_error_handler PROPERTIES
            POSITION_INDEPENDENT_CODE ON CXX_SCAN_FOR_MODULES OFF UNITY_BUILD OFF)
    endif ()
    set(handler $<TARGET_OBJECTS:tilewright_error_handler>)
    file(MAKE_DIRECTORY ${folder}/halide_runtime)
    add_custom_command(OUTPUT ${folder}/halide_runtime.o
        COMMAND ${generator} runtime ${folder}/halide_runtime
        COMMAND ${CMAKE_LINKER} -r -o ${folder}/halide_runtime.o
            ${folder}/halide_runtime/halide_runtime.o ${handler}
        DEPENDS ${handler} COMMENT "Halide's runtime" VERBATIM)
    set_source_files_properties(${folder}/halide_runtime.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()

# tilewright_libraries(NAME GENERATOR target OPERATOR op FOLDER folder TARGETS ... CAPABILITY number
#                      [SCHEDULES ...] [TYPES ...] [TUNABLES ...] [EMIT ...] [MADE])
#
# The libraries of a table of schedules, or of those of its variants that SCHEDULES (names of variants, or of
# their families) and TYPES choose. One command per target in TARGETS makes their archives, what EMIT names
# beside them, the list of the archives, FOLDER/NAME_TARGET.libraries, and headers: NAME_TARGET_needs.h, which
# says what the libraries need of a device and which arguments they take, and of a GPU's target
# NAME_TARGET_texts.h, which has the text of the operator's own kernels. One more command makes the table that
# the runtime reads, and for each target the list of its libraries, which the table asks for; it runs first,
# and says what is wrong with the selection.
# CMake does not know the variants: the generator does, and it makes no library again that would be the same
# (generators/program/libraries/build.h). CUDA libraries have machine code beside their PTX, in
# NAME_cuda_cubins.h, for the compute capabilities that cubins.cmake finds and that run the PTX. Sets in
# the caller
#   ARCHIVES   the lists of archives        TABLE_CPP  NAME_variants(), for the runtime
#   LISTS_CPP  FOLDER/NAME_TARGET_libraries.cpp of each target: NAME_TARGET_libraries(), for the table
#   SELECTION  what the generator's verbs take to mean the same libraries
# MADE: another build made all of it in FOLDER, so that there are no commands.
function(tilewright_libraries name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "MADE" "GENERATOR;OPERATOR;FOLDER;CAPABILITY"
        "TARGETS;SCHEDULES;TYPES;TUNABLES;EMIT")
    file(MAKE_DIRECTORY ${arg_FOLDER})
    set(selection operator=${arg_OPERATOR} name=${name} capability=${arg_CAPABILITY})
    if (TILEWRIGHT_CPU)
        list(APPEND selection cpu=${TILEWRIGHT_CPU})
    endif ()
    if (TILEWRIGHT_SMALL)
        list(APPEND selection autoscheduled=no errors=codes)
    endif ()
    foreach (words schedule=SCHEDULES type=TYPES tunables=TUNABLES)
        string(REGEX MATCH "^([a-z]+)=([A-Z]+)$" _ ${words})
        if (arg_${CMAKE_MATCH_2})
            list(JOIN arg_${CMAKE_MATCH_2} "," values)
            list(APPEND selection ${CMAKE_MATCH_1}=${values})
        endif ()
    endforeach ()

    # vnni: variants for some CPUs.
    list(TRANSFORM arg_TARGETS REPLACE "^cpu$" "cpu,vnni" OUTPUT_VARIABLE backends)
    list(JOIN backends "," backends)
    set(table ${arg_FOLDER}/${name}_table.cpp)
    set(lists ${arg_TARGETS})
    list(TRANSFORM lists REPLACE "(.+)" "${arg_FOLDER}/${name}_\\1_libraries.cpp")
    if (NOT arg_MADE)
        add_custom_command(OUTPUT ${table} ${lists}
            COMMAND ${arg_GENERATOR} table ${arg_FOLDER} ${selection} backend=${backends}
            DEPENDS ${arg_GENERATOR} COMMENT "Table of ${name}" VERBATIM DEPENDS_EXPLICIT_ONLY)
    endif ()

    # The table is data, from which a vector is made once: optimised, it takes far longer to compile.
    set_source_files_properties(${table} ${lists} PROPERTIES
        COMPILE_OPTIONS "-O0;-U_FORTIFY_SOURCE" SKIP_PRECOMPILE_HEADERS ON)

    # The machine code of CUDA libraries, beside their PTX.
    set(cubins "")
    if (cuda IN_LIST arg_TARGETS)
        tilewright_find_cubins(capabilities)
        foreach (capability IN LISTS capabilities)
            if (capability GREATER_EQUAL arg_CAPABILITY)
                list(APPEND cubins sm_${capability})
            endif ()
        endforeach ()
    endif ()
    set(with_ptxas "")
    if (cubins)
        list(APPEND cubins ptx)
        set(with_ptxas ${CMAKE_COMMAND} -E env TILEWRIGHT_PTXAS=${TILEWRIGHT_PTXAS})
    endif ()

    set(archives "")
    foreach (target IN LISTS arg_TARGETS)
        set(archive ${arg_FOLDER}/${name}_${target}.libraries)
        set(made ${archive})
        set(list ${arg_FOLDER}/${name}_${target}_libraries.cpp)
        set(emit ${arg_EMIT})
        set(run ${arg_GENERATOR})
        set(errors "")
        # Our own libraries. The fronts check what callers give, so that Halide's words say what is wrong with
        # a schedule: they are a tenth of the CPU's code, and a quarter of what GPU libraries have beside
        # kernels.
        if (DEFINED TILEWRIGHT_WORDS AND NOT TILEWRIGHT_WORDS)
            set(errors errors=codes)
        endif ()
        if (target STREQUAL cuda)
            list(APPEND emit ${cubins})
            list(REMOVE_DUPLICATES emit)
            set(run ${with_ptxas} $<TARGET_FILE:${arg_GENERATOR}>)
            list(APPEND made ${arg_FOLDER}/${name}_cuda_cubins.h)
        endif ()
        list(JOIN emit "," emit)
        list(APPEND made ${arg_FOLDER}/${name}_${target}_needs.h)
        if (NOT target STREQUAL cpu)
            list(APPEND made ${arg_FOLDER}/${name}_${target}_texts.h)
        endif ()
        string(REPLACE cpu cpu,vnni backend ${target})
        if (NOT arg_MADE)
            add_custom_command(OUTPUT ${made}
                COMMAND ${run} build ${arg_FOLDER} static_library,${emit} ${selection} ${errors}
                    backend=${backend}
                DEPENDS ${arg_GENERATOR} ${table}
                COMMENT "Libraries of ${name} for ${target}" VERBATIM DEPENDS_EXPLICIT_ONLY)
        endif ()
        list(APPEND archives ${archive})
        # The headers that the list includes, and the archives: CMake has no other way to say that a static
        # library is made again when an archive changes (LINK_DEPENDS is for programs and shared libraries).
        set_source_files_properties(${list} PROPERTIES OBJECT_DEPENDS "${made}")
    endforeach ()
    set(ARCHIVES ${archives} PARENT_SCOPE)
    set(TABLE_CPP ${table} PARENT_SCOPE)
    set(LISTS_CPP ${lists} PARENT_SCOPE)
    set(SELECTION ${selection} backend=${backends} PARENT_SCOPE)
endfunction()

# tilewright_merge(TARGET FOLDER ARCHIVES...): makes the archives, or lists of them, sources of the static
# library TARGET, and puts their objects into it.
function(tilewright_merge target folder)
    target_sources(${target} PRIVATE ${ARGN})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${ARGN})
    list(JOIN ARGN "\n" archives)
    file(GENERATE OUTPUT ${folder}/${target}.archives CONTENT "${archives}\n")
    add_custom_command(TARGET ${target} POST_BUILD
        COMMAND ${CMAKE_COMMAND}
            -DAR=${CMAKE_AR} -DRANLIB=${CMAKE_RANLIB} -DARCHIVE=$<TARGET_FILE:${target}>
            -DLIST=${folder}/${target}.archives -DWORK=${folder}/${target}.objects
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/merge.cmake VERBATIM)
endfunction()
