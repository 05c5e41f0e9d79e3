#!/usr/bin/env python3
"""Writes the plotting library of the reports: Vega, Vega-Lite and Vega-Embed as one piece of JavaScript. FILE
has the bytes of the text as a number of 64 bits, and the text as zlib deflates it: .3 MB in place of .9.

Usage: plots.py FILE. A FILE that ends with .js has the text itself, for small pages beside it. The library
comes out of the package vl-convert-python of requirements-plots.txt. Exits with 1 and a sentence where that
package is missing, or gives another text than the one that the tests have seen; then FILE is not written.
"""
import hashlib
import struct
import sys
import zlib

VEGA_LITE = '6.4'
SHA256 = '3425bd951a44d478d0505c6b5d1e8d57656b6e9a4da7bfe88a718ce61d76e572'  # of vl-convert-python 1.9.0

# The licence asks that its text goes with every copy, and each report holds one.
LICENCE = """/*
Vega 6.2.0, Vega-Lite 6.4, Vega-Embed 7.0.2 (https://vega.github.io)
Copyright (c) 2015-2026, University of Washington Interactive Data Lab and contributors. All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted provided that
the following conditions are met:
1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
   following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the
   following disclaimer in the documentation and/or other materials provided with the distribution.
3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or
   promote products derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED
WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A
PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY
DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO,
PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR
OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH
DAMAGE.
*/
"""


def main():
    try:
        import vl_convert
    except ImportError:
        sys.exit('the package vl-convert-python is not installed')
    library = vl_convert.javascript_bundle(None, VEGA_LITE)
    if hashlib.sha256(library.encode()).hexdigest() != SHA256:
        sys.exit('another version of vl-convert-python is installed than the one of requirements-plots.txt')
    text = f'{LICENCE}(function () {{\n{library}\n}})();\n'.encode()
    with open(sys.argv[1], 'wb') as file:
        is_text = sys.argv[1].endswith('.js')
        file.write(text if is_text else struct.pack('<Q', len(text)) + zlib.compress(text, 9))


main()
