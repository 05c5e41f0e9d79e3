"""How many loads of global memory a thread of a kernel has in flight, counted in machine code for an H200.

The count needs no GPU but the programs `ptxas` and `nvdisasm` of the CUDA toolkit. A load is in flight from
its instruction to the first one after it that names a register which it fills: there the thread waits. The
count follows the instructions in the order in which they stand, through each innermost loop twice, so that
a load which is used in the next turn counts too. What a kernel has is the most that one of its loops has;
where none of its loops loads, the most of its code.
"""
import os
import re
import shutil
import subprocess
import tempfile

from results import Wrong

ARCH = 'sm_90'
INSTRUCTION = re.compile(r'/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?(\S+)(.*?);')
LABEL = re.compile(r'^(\.L_x_\d+):')
REGISTER = re.compile(r'\bR(\d+)(\.64)?')
IS_LOAD = re.compile(r'LDG?\.')


def has_tools():
    return all(map(shutil.which, ('ptxas', 'nvdisasm')))


def disassembled(ptx):
    """The instructions of a module, as `nvdisasm` writes them."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, 'cubin')
        for words in (['ptxas', f'-arch={ARCH}', '-o', cubin, '/dev/stdin'], ['nvdisasm', '-c', cubin]):
            ran = subprocess.run(words, input=ptx, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                raise Wrong(f'{words[0]}: {ran.stderr.strip()}')
    return ran.stdout


def registers_of(text, width=1):
    """The numbers of the registers that operands name; `width` registers begin at each name."""
    return {int(number) + i for number, pair in REGISTER.findall(text) for i in range(2 if pair else width)}


def most_in_flight(code):
    """The most loads that are on their way at once; `code` is (instruction, operands) each."""
    on_their_way, most = [], 0
    for name, operands in code:
        named = registers_of(operands)
        on_their_way = [filled for filled in on_their_way if not filled & named]
        if IS_LOAD.match(name):
            width = 4 if '.128' in name else 2 if '.64' in name else 1
            on_their_way.append(registers_of(operands.split(',')[0], width))
            most = max(most, len(on_their_way))
    return most


def loads_of_kernel(text):
    """(loads in flight, whether they are in a loop) of one kernel."""
    code, places, loops = [], {}, []
    for line in text.splitlines():
        if label := LABEL.match(line):
            places[label[1]] = len(code)
        elif found := INSTRUCTION.search(line):
            target = re.search(r'`\((\.L_x_\d+)\)', found[2])
            if found[1].startswith('BRA') and target and target[1] in places:
                loops.append((places[target[1]], len(code)))
            code.append((found[1], found[2]))
    innermost = [(first, last) for first, last in loops if last > first and not any(
        first <= other[0] and other[1] <= last for other in loops if other != (first, last))]
    in_loops = max((most_in_flight(code[first:last] * 2) for first, last in innermost), default=0)
    return (in_loops, True) if in_loops else (most_in_flight(code), False)


def loads_in_flight(modules, kernels):
    """The different numbers of these kernels of the modules, the most first; of those without a loop that
    loads only where none has one."""
    texts = [text.split(':', 1) for ptx in modules
             for text in re.split(r'^\.text\.', disassembled(ptx), flags=re.M)[1:]]
    counts = [loads_of_kernel(text) for name, text in texts if name in kernels]
    in_loops = {loads for loads, looped in counts if looped}
    return sorted(in_loops or {loads for loads, _ in counts if loads}, reverse=True)
