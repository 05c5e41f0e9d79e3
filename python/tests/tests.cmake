# The Python package, by pytest; the workers of a Dask cluster apart, because they take longest.
# tests/CMakeLists.txt includes this file.
set(python_tests ${PROJECT_SOURCE_DIR}/python/tests)
set(fake_cuda TILEWRIGHT_FAKE_CUDA=)
if (TARGET fake_cuda AND cuda IN_LIST TILEWRIGHT_TARGETS)
    set(fake_cuda TILEWRIGHT_FAKE_CUDA=$<TARGET_FILE_DIR:fake_cuda>)
endif ()
if (NOT Python_EXECUTABLE)
    set(Python_EXECUTABLE ${Python3_EXECUTABLE})
endif ()
foreach (what package cluster)
    if (NOT TARGET tilewright_python)
        add_test(NAME python.${what} COMMAND ${CMAKE_COMMAND} -E echo
            "not run here: TILEWRIGHT_PYTHON_PACKAGE is off; `./dev test` sets it where it can")
    elseif (what STREQUAL cluster)
        add_test(NAME python.cluster COMMAND ${Python_EXECUTABLE} -B -m pytest -q -rs -p no:cacheprovider
            ${python_tests}/test_cluster.py)
    else ()
        add_test(NAME python.package COMMAND ${Python_EXECUTABLE} -B -m pytest -q -rs -p no:cacheprovider
            --ignore=${python_tests}/test_cluster.py ${python_tests})
    endif ()
    set_tests_properties(python.${what} PROPERTIES LABELS python TIMEOUT 900 COST 20
        SKIP_REGULAR_EXPRESSION "^not run here"
        ENVIRONMENT
            "${tests_environment};PYTHONPATH=${CMAKE_BINARY_DIR}/python/package;${fake_cuda}")
endforeach ()
