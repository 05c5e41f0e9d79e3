# cmake -DAR=ar -DRANLIB=ranlib -DARCHIVE=target.a -DLIST=file -DWORK=folder -P merge.cmake
#
# Appends the objects of the archives that LIST names, one per line, to ARCHIVE. A name that ends with
# .libraries is a file that has the names of archives in its folder. The objects are extracted and added
# again, because scripts of ar (ar -M) accept no folder name with a blank or with one of @ , =, and because
# llvm-ar reads them differently.
# Libraries of a CPU have one object per instruction set. Those of one set follow each other, because GNU ld
# keeps their order, and code that is alike compresses well only where it is near: of the wheel of the CPU,
# this takes 8 % of the variants' code.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(STRINGS ${LIST} names ENCODING UTF-8)
foreach (name IN LISTS names)
    set(archives ${name})
    if (name MATCHES "[.]libraries$")
        file(STRINGS ${name} archives ENCODING UTF-8)
        cmake_path(GET name PARENT_PATH folder)
        list(TRANSFORM archives PREPEND ${folder}/)
    endif ()
    foreach (archive IN LISTS archives)
        execute_process(COMMAND ${AR} x ${archive} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
    endforeach ()
endforeach ()
file(GLOB objects RELATIVE ${WORK} ${WORK}/*.o)
if (objects)
    set(sorted "")
    foreach (set "-avx512|_vnni" "-avx2" ".")
        set(of_set ${objects})
        list(FILTER of_set INCLUDE REGEX "${set}")
        list(FILTER objects EXCLUDE REGEX "${set}")
        list(APPEND sorted ${of_set})
    endforeach ()
    execute_process(COMMAND ${AR} q ${ARCHIVE} ${sorted}
        WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${RANLIB} ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
endif ()
file(REMOVE_RECURSE ${WORK})
