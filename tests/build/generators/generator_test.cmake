# What every generator program does with its table of variants (copy_generator.cpp has several tables). WHAT
# is one of
#   tables     variants made in a loop and variants over two lines are found; a wrong table is refused with a
#              message, and so is a schedule that Halide refuses
#   build      a library is made again when something of it changed, and no other is; a failure gives a
#              message and leaves no unfinished file
# Other arguments: GENERATOR, WORK (is emptied).
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# generator(TABLE CODE WORDS VERB...): runs the generator with a table. It must end with CODE, and its output
# must match WORDS. Sets `said` to the whole output.
function(generator table expected words)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env TILEWRIGHT_TABLE=${table} ${GENERATOR} ${ARGN}
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if (NOT code EQUAL expected OR NOT said MATCHES "${words}")
        message(FATAL_ERROR "table '${table}', ${ARGN}: ended with ${code}, not ${expected}, "
            "or does not say '${words}':\n${said}")
    endif ()
    set(said "${said}" PARENT_SCOPE)
endfunction()

if (WHAT STREQUAL "tables")
    set(vectors "copy_vectors_4_u8_cpu\ncopy_vectors_8_u8_cpu\ncopy_vectors_16_u8_cpu\n")
    generator("" 0 "^copy_reference_u8_cpu\n${vectors}copy_on_two_lines_u8_cpu\n$" list)
    generator("" 0 "^${vectors}$" list schedule=vectors)
    generator("" 1 "a table of 'copy', and this program makes the libraries of 'copies'" list operator=copies)
    generator("" 1 "no variant is of schedule 'vector'; there are: reference, vectors, vectors_4"
        list schedule=vector)
    generator("" 1 "no variant is of type 'u9'; there are: u8" list type=u9)
    generator("" 1 "no variant is of schedule vectors, backend cuda at once; there are: vectors_4 .u8, cpu."
        table ${WORK} schedule=vectors backend=cuda)
    generator(hyphen 1 "variant 'my-vectors': a name is made of small letters, digits and _" list)
    generator(twice 1 "two variants are called 'vectors', for u8 on cpu both" list)
    generator(unmade 1
        "variant 'odd' is of the form 'unmade', which no generator of this program makes; there are: copy"
        list)
    # A value is used by the variants that accept it; the others keep their own, and a note says so. A value
    # that no variant accepts is an error.
    generator("" 0 "note: copy: variant 'on_two_lines' keeps lanes=8: it takes 8 to 8"
        table ${WORK} tunables=lanes=24)
    # The variants name the first of their numbers, here 0.
    file(STRINGS ${WORK}/copy_table.cpp numbers REGEX "^    {[0-9]+, [0-9]+, [0-9]+, [0-9]+},")
    file(STRINGS ${WORK}/copy_table.cpp variants REGEX "Backend::cpu, false, [0-9]+, 0, 1, 0, 0, 0, ")
    list(LENGTH variants count)
    if (NOT count EQUAL 3 OR NOT numbers MATCHES "^    {[0-9]+, 24, 1, 64},;    {[0-9]+, 8, 8, 8},$")
        message(FATAL_ERROR "${count} variants took the value:\n${numbers}\n${variants}")
    endif ()
    # Of several values, each point is a variant.
    generator("" 0
        "^copy_vectors_4_lanes4_u8_cpu\ncopy_vectors_4_lanes24_u8_cpu\ncopy_on_two_lines_u8_cpu\n$"
        list schedule=vectors_4,on_two_lines tunables=lanes=4,24,4)
    generator("" 0 "note: copy: variant 'on_two_lines' leaves out lanes=24: it takes 8 to 8"
        table ${WORK} tunables=lanes=8,24)
    generator("" 1 "'lanes=65' is taken by no chosen variant; it takes 1 to 64 in variant 'vectors_4'"
        table ${WORK} tunables=lanes=65)
    generator("" 1 "no chosen variant has a tunable 'lane'; there are: lanes"
        table ${WORK} tunables=lane=4)
    # What Halide says of a schedule that it refuses.
    generator(wrong 1 "error: .*could not find split dimension: nowhere" show loops schedule=vectors_wrong)

elseif (WHAT STREQUAL "build")
    set(out "${WORK}/a b@c,d=é")
    set(build build ${out} static_library,c_header name=small backend=cpu,vnni,opencl)
    # Sets the variable to those of the files that were written since the last call. To tell them apart, each
    # call gives all files one time in the past.
    function(written variable)
        set(all "")
        foreach (file IN LISTS ARGN)
            execute_process(COMMAND stat -c %Y ${out}/${file}
                OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE)
            if (NOT time EQUAL 981173106)
                list(APPEND all ${file})
            endif ()
        endforeach ()
        set(${variable} "${all}" PARENT_SCOPE)
        file(GLOB files ${out}/*)
        execute_process(COMMAND touch -d @981173106 ${files} COMMAND_ERROR_IS_FATAL ANY)
    endfunction()
    set(files "")
    foreach (variant reference vectors_4 vectors_8 vectors_16 on_two_lines)
        list(APPEND files small_${variant}_u8_cpu.a small_${variant}_u8_cpu.h)
    endforeach ()
    list(APPEND files small_cpu.libraries)

    generator("" 0 "" ${build})
    written(made ${files})
    # OpenCL has no variants here: its list is empty.
    if (NOT made STREQUAL "${files}" OR NOT EXISTS ${out}/small_opencl.libraries)
        message(FATAL_ERROR "not all was made: ${made}")
    endif ()
    generator("" 0 "" ${build})
    written(made ${files})
    if (made)
        message(FATAL_ERROR "made again, though nothing changed: ${made}")
    endif ()
    generator(changed 0 "" ${build})
    written(made ${files})
    if (NOT made STREQUAL "small_vectors_16_u8_cpu.a;small_vectors_16_u8_cpu.h;small_cpu.libraries")
        message(FATAL_ERROR "of one changed variant this was made: ${made}")
    endif ()
    file(REMOVE ${out}/small_vectors_4_u8_cpu.h)
    generator(changed 0 "" ${build})
    written(made small_vectors_4_u8_cpu.h small_vectors_8_u8_cpu.h)
    if (NOT made STREQUAL "small_vectors_4_u8_cpu.h")
        message(FATAL_ERROR "a file was lost, and this was made: ${made}")
    endif ()

    # A library that fails leaves no file and no list. So the next build makes the list again, also
    # where it finds all libraries made, as that of the one variant `reference` does. After a build with fewer
    # variants, only their files are left.
    generator(wrong 1 "error: copy: the library of variant 'vectors_wrong' for u8 on cpu was not made"
    ${build})
    file(GLOB left RELATIVE ${out} ${out}/*wrong* ${out}/*.unfinished ${out}/small_cpu.libraries)
    if (left)
        message(FATAL_ERROR "a variant that failed left ${left}")
    endif ()
    written(made)
    generator("" 0 "" ${build} schedule=reference)
    written(made small_reference_u8_cpu.a small_cpu.libraries)
    if (NOT made STREQUAL "small_cpu.libraries")
        message(FATAL_ERROR "after a variant that failed, the build without it made: ${made}")
    endif ()
    generator(fewer 0 "" ${build})
    file(GLOB left RELATIVE ${out} ${out}/*_cpu.h)
    if (NOT left STREQUAL "small_reference_u8_cpu.h;small_vectors_4_u8_cpu.h")
        message(FATAL_ERROR "of two variants there are ${left}")
    endif ()

    # A library of the tables of several operators is copied from another operator's folder, where it was made
    # of the same. What has been added to the files there shows it.
    set(libraries copies_vectors_u8_cpu.a copy_reference_u8_cpu.a)
    foreach (step first= same=copies_vectors_u8_cpu.a others=)
        string(REGEX MATCH "^([a-z]+)=(.*)$" _ ${step})
        set(folder ${CMAKE_MATCH_1})
        set(expected "${CMAKE_MATCH_2}")
        set(files static_library)
        if (folder STREQUAL "others")
            string(APPEND files ,stmt_html)
        endif ()
        generator(shared 0 "" build ${WORK}/shared/${folder} ${files} backend=cpu)
        set(copied "")
        foreach (library IN LISTS libraries)
            set(file ${WORK}/shared/${folder}/${library})
            execute_process(COMMAND tail -c 5 ${file} OUTPUT_VARIABLE end COMMAND_ERROR_IS_FATAL ANY)
            if (end STREQUAL "added")
                list(APPEND copied ${library})
            elseif (folder STREQUAL "first")
                file(APPEND ${file} "added")
            endif ()
        endforeach ()
        if (NOT copied STREQUAL "${expected}")
            message(FATAL_ERROR "in the folder '${folder}', copies are '${copied}', not '${expected}'")
        endif ()
    endforeach ()
else ()
    message(FATAL_ERROR "there is no test '${WHAT}'")
endif ()
