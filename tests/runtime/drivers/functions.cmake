# Writes FUNCTION(name) for every function of a driver that ARCHIVE names, into OUTPUT. PREFIX: cu or cl. The
# archive has our runtime and Halide's, which look the functions up by their names.
file(STRINGS ${ARCHIVE} names REGEX "^${PREFIX}[A-Z][A-Za-z0-9_]*$")
list(SORT names)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "FUNCTION(\\1)\n")
list(JOIN names "" lines)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${lines}" @ONLY)
