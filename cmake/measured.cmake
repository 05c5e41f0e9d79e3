# The times by which `tuned` chooses among variants: the files of schedules/measured become constant data of
# the runtime. The program that makes it shares the code that reads such files with the runtime.
add_library(tilewright_measured_file OBJECT
    runtime/measured/json_bounds.cpp runtime/measured/measured_file.cpp ${TILEWRIGHT_FMT_SOURCES})
set_target_properties(tilewright_measured_file PROPERTIES UNITY_BUILD OFF)
target_include_directories(tilewright_measured_file PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)
target_link_libraries(tilewright_measured_file PRIVATE tilewright_fmt nlohmann_json::nlohmann_json)
target_compile_options(tilewright_measured_file
    PRIVATE ${TILEWRIGHT_OPTIONS_runtime} ${TILEWRIGHT_SELDOM_CODE})
add_executable(tilewright_measured_table runtime/measured/table.cpp
    $<TARGET_OBJECTS:tilewright_measured_file>)
set_target_properties(tilewright_measured_table PROPERTIES OUTPUT_NAME measured_table)
target_include_directories(tilewright_measured_table PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)
target_link_libraries(tilewright_measured_table PRIVATE tilewright_fmt)
target_compile_options(tilewright_measured_table PRIVATE ${TILEWRIGHT_SMALL_CODE})

list(TRANSFORM TILEWRIGHT_TARGETS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/schedules/measured/\\1-*.json"
    OUTPUT_VARIABLE files)
file(GLOB measured CONFIGURE_DEPENDS ${files})
set(TILEWRIGHT_MEASURED_TABLE ${CMAKE_BINARY_DIR}/measured_table.cpp)
add_custom_command(OUTPUT ${TILEWRIGHT_MEASURED_TABLE}
    COMMAND tilewright_measured_table ${TILEWRIGHT_MEASURED_TABLE} ${measured}
    DEPENDS tilewright_measured_table ${measured}
    COMMENT "The measured times of schedules/measured" VERBATIM)
# One table, which is linked as a whole or not at all.
set_source_files_properties(${TILEWRIGHT_MEASURED_TABLE} PROPERTIES COMPILE_OPTIONS -fno-data-sections)
