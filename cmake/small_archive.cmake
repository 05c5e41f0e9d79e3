# cmake -DARCHIVE=lib.a -DSMALL=lib.a [-DMERGED="regex..." [-DROOTS=regex]] [-DWITHOUT=regex]
#     [-DJOINED=regex] -DAR=ar -DLINKER=ld -DNM=nm -DOBJCOPY=objcopy -DREADELF=readelf -DSTRIP=strip
#     -DPYTHON=python3 -P small_archive.cmake
#
# Writes an archive once more as SMALL, which is what is installed. The objects whose names match one regex of
# MERGED, which programs take together, become one with one section of code: then inline functions that
# several of them have are there once.
# Where ROOTS names some of these objects, only what their functions need stays of the others: the libraries
# of a CPU have metadata that nobody asks for. Objects whose names match WITHOUT, and names that no linker
# needs, are left out. Objects whose names match JOINED become one that keeps its sections, for programs that
# are linked with --gc-sections. Code and data stay as they are.
set(work ${SMALL}.objects)
file(REMOVE_RECURSE ${work} ${SMALL})
file(MAKE_DIRECTORY ${work})
function(run)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "[\r\n]+" ";" said "${said}")
    set(said ${said} PARENT_SCOPE)
endfunction()
run(${AR} t ${ARCHIVE})
set(members ${said})
set(objects ${said})
list(REMOVE_DUPLICATES objects)
list(LENGTH members members_count)
list(LENGTH objects objects_count)
if (members_count EQUAL objects_count)
    run(${AR} x ${ARCHIVE})
else ()  # sources of several folders have the same name
    set(objects "")
    foreach (member IN LISTS members)
        if (NOT DEFINED seen_${member})
            set(seen_${member} 0)
        endif ()
        math(EXPR seen_${member} "${seen_${member}} + 1")
        set(object ${member})
        if (seen_${member} GREATER 1)
            set(object ${seen_${member}}_${member})
        endif ()
        run(${AR} xN ${seen_${member}} ${ARCHIVE} ${member})
        file(RENAME ${work}/${member} ${work}/again)
        list(APPEND objects ${object})
        file(RENAME ${work}/again ${work}/of_${object})
    endforeach ()
    foreach (object IN LISTS objects)
        file(RENAME ${work}/of_${object} ${work}/${object})
    endforeach ()
endif ()

if (WITHOUT)
    list(FILTER objects EXCLUDE REGEX "${WITHOUT}")
endif ()
set(joined "")
if (JOINED)
    set(joined ${objects})
    list(FILTER joined INCLUDE REGEX "${JOINED}")
endif ()
if (joined)
    run(${LINKER} -r -o joined.o ${joined})
    list(REMOVE_ITEM objects ${joined})
    list(PREPEND objects joined.o)
endif ()

# A section per function is called as the function is: of the runtime's archive these names were an eighth.
# What a linker needs of a name is how it begins, and of constants that are alike how it ends.
foreach (object IN LISTS objects)
    run(${READELF} -SW ${object})
    string(REGEX MATCHALL "[.][a-z._]+[.]_Z[^ ;]*" names "${said}")
    list(REMOVE_DUPLICATES names)
    # Of ".rodata._ZN1fEv.str1.8" stays ".rodata.str1.8", of others ".text.f".
    list(TRANSFORM names REPLACE "^([.][a-z._]+)[.]_Z.*([.](str|cst)[0-9.]+)$" "--rename-section=\\0=\\1\\2")
    list(TRANSFORM names REPLACE "^([.][a-z._]+)[.]_Z.*$" "--rename-section=\\0=\\1.f")
    list(JOIN names "\n" names)
    file(WRITE ${work}/names "${names}")
    run(${OBJCOPY} @names ${object})
endforeach ()

string(REPLACE " " ";" MERGED "${MERGED}")
set(count "")
foreach (regex IN LISTS MERGED)
    set(merged ${objects})
    list(FILTER merged INCLUDE REGEX "${regex}")
    list(FILTER merged EXCLUDE REGEX "^main[.]cpp[.]o$")  # a program may bring its own
    if (NOT merged)
        continue()
    endif ()
    set(roots "")
    if (ROOTS)
        set(of_roots ${merged})
        list(FILTER of_roots INCLUDE REGEX "${ROOTS}")
        run(${NM} --defined-only --extern-only --format=posix ${of_roots})
        list(FILTER said EXCLUDE REGEX ":$")  # the names of several objects
        list(FILTER said INCLUDE REGEX " T ")
        list(TRANSFORM said REPLACE " .*" "")
        list(TRANSFORM said PREPEND --undefined= OUTPUT_VARIABLE roots)
        list(PREPEND roots --gc-sections)
    endif ()
    cmake_path(GET SMALL STEM one)
    string(APPEND count +)
    set(one ${one}${count}.o)
    # Functions that are taken together need no section each: its name and header take as much as a small one.
    set(script "")
    foreach (section .text .gcc_except_table .data.rel.ro .bss)
        string(APPEND script "${section} : { *(${section} ${section}.*) }\n")
    endforeach ()
    file(WRITE ${work}/sections.ld "SECTIONS {\n${script}}\n")
    # Groups of sections, of which a linker takes the first one per name, are dissolved: their headers are a
    # third of the generators' archive. Variables of inline functions then have names that are weak, so that
    # other files may define them too.
    run(${LINKER} -r ${roots} --force-group-allocation -T sections.ld -o ${one} ${merged})
    run(${NM} --defined-only --format=posix ${one})
    list(FILTER said INCLUDE REGEX " u ")
    list(TRANSFORM said REPLACE "^([^ ]+) .*" "--weaken-symbol=\\1")
    run(${OBJCOPY} ${said} ${one})
    # Only the roots are asked for by name, or of objects without roots, all but inline functions. What is in
    # the object needs no linker then.
    set(option localize-symbols)
    if (ROOTS)
        set(option keep-global-symbols)
        list(TRANSFORM roots REPLACE "^--undefined=" "" OUTPUT_VARIABLE names)
    else ()
        run(${NM} --defined-only --format=posix ${one})
        list(FILTER said INCLUDE REGEX " W ")
        list(TRANSFORM said REPLACE " .*" "" OUTPUT_VARIABLE names)
    endif ()
    list(JOIN names "\n" names)
    file(WRITE ${work}/names "${names}")
    run(${OBJCOPY} --${option}=names ${one})
    run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/resolve_calls.py ${one})
    list(REMOVE_ITEM objects ${merged})
    list(PREPEND objects ${one})
endforeach ()
run(${STRIP} --strip-unneeded --remove-section=.comment ${objects})
run(${AR} qcs ${SMALL} ${objects})
file(REMOVE_RECURSE ${work})
