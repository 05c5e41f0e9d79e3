# cmake -DAR=ar -DRANLIB=ranlib -DARCHIVE=target.a -DLIST=file -DWORK=folder -P merge.cmake
#
# Appends the objects of the archives that LIST names, one per line, to ARCHIVE. It extracts the objects and
# adds them again, because scripts of ar (ar -M) accept no folder name with a blank or with one of @ , =, and
# because llvm-ar reads them differently.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(STRINGS ${LIST} archives ENCODING UTF-8)
foreach (archive IN LISTS archives)
    execute_process(COMMAND ${AR} x ${archive} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endforeach ()
file(GLOB objects RELATIVE ${WORK} ${WORK}/*.o)
if (objects)
    execute_process(COMMAND ${AR} q ${ARCHIVE} ${objects}
        WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${RANLIB} ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
endif ()
file(REMOVE_RECURSE ${WORK})
