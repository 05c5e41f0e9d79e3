#!/bin/sh
# Stands in for a generator program: TILEWRIGHT_TEST_GENERATOR makes the libraries, and then the function of
# each one becomes one that has the fault of TILEWRIGHT_TEST_FAULT: crash, hang, or wrong (it does nothing).
# With the fault no-library it ends as programs do whose shared library is missing.
if [ "$TILEWRIGHT_TEST_FAULT" = no-library ]; then
    echo "$0: error while loading shared libraries: libHalide.so.21: cannot open shared object file" >&2
    exit 127
fi
"$TILEWRIGHT_TEST_GENERATOR" "$@" || exit
[ "$1" = build ] || exit 0
for made in "$2"/*.made; do
    library=${made%.made}
    name=${library##*/}
    {
        echo '#include <signal.h>'
        echo '#include <unistd.h>'
        echo "int ${name}_argv(void **arguments) {"
        case $TILEWRIGHT_TEST_FAULT in
        crash) echo 'signal(SIGSEGV, SIG_DFL); raise(SIGSEGV);' ;;  # sanitizers have a handler
        hang) echo 'for (;;) { pause(); }' ;;
        esac
        echo 'return arguments == 0; }'
    } > "$library.c"
    cc -fPIC -c "$library.c" -o "$library.fault.o" || exit
    objcopy --redefine-sym "${name}_argv=${name}_right" "$library.a" || exit
    ar q "$library.a" "$library.fault.o" || exit
done
