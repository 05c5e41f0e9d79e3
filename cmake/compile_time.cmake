# How our own code is compiled so that a build takes little time. Nothing here changes what the runtime's code is compiled to.
#
# fmt is compiled once. Header-only, its formatting of numbers is compiled in each of 40 files, for about 3 s each; a program of a
# user must not need libfmt, or find a second copy of it. So the runtime's archive holds one copy of its own (runtime/errors/fmt.cpp),
# in a namespace of its own: symbols of a libfmt that a program links besides, of whatever version, are others.
add_library(tilewright_fmt INTERFACE)
if (fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 13)
    target_include_directories(tilewright_fmt SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(tilewright_fmt INTERFACE
        "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace in_tilewright {" "FMT_END_NAMESPACE=} }")
    set(TILEWRIGHT_FMT_SOURCES runtime/errors/fmt.cpp)
else ()  # other versions instantiate other functions: as they come
    target_link_libraries(tilewright_fmt INTERFACE fmt::fmt-header-only)
    set(TILEWRIGHT_FMT_SOURCES "")
endif ()
