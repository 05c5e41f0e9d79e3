"""Data for tests of any operator of the registry. No operator is named here, only options without default."""

import numpy as np

import tilewright

NUMPY = {
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "i32": "int32",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "f16": "float16",
    "c128": "complex128",
}
# Needed options of operators, which have no default.
NEEDED = {"wavelength": 532e-9, "distance": 0.01, "pitch": 8e-6}


def candidates(op, type):
    """Inputs of a type of the operator's table, from the likeliest shape on."""
    rng = np.random.default_rng(7)
    name = type.rstrip("0123456789") if type.startswith(("rgb", "rgba")) else type
    colours = {"rgb": 3, "rgba": 4}.get(name)
    known = next((type[:n] for n in (4, 3) if type[:n] in NUMPY), type[:2])
    dtype = NUMPY.get("u" + type[len(name) :] if colours else known, "uint8")
    for shape in ([(67, 93, colours)] if colours else [(67, 93), (64, 64), (93,)]):

        def data():
            if np.dtype(dtype).kind in "ui":
                return rng.integers(0, 100, shape).astype(dtype)
            is_complex = np.dtype(dtype).kind == "c"
            real = rng.random(shape).astype("f8" if is_complex else dtype)
            return (real + 1j * real[::-1]).astype(dtype) if is_complex else real

        first = data()
        if len(op.inputs) == 1:
            yield [first]
        else:
            second = data()
            yield [first, np.ascontiguousarray(second.T) if second.ndim == 2 else second]


def case(name, type):
    """(inputs, options) that the operator takes."""
    op = tilewright.operators[name]
    options = {o.name: NEEDED[o.name] for o in op.options if o.is_needed}
    refusal = None
    for inputs in candidates(op, type):
        shapes = [(a.dtype.name, list(a.shape)) for a in inputs]
        try:
            op.output_of(shapes, tuple(options.get(o.name) for o in op.options))
            return inputs, options
        except tilewright.ArgumentError as error:
            refusal = error
    raise AssertionError(f"{name} takes none of the candidates of type {type}: {refusal}")


CASES = [
    (name, type)
    for name, op in tilewright.operators.items()
    for type in dict.fromkeys(variant.type for variant in op.variants())
    if type != "bf16"  # NumPy has no such type: test_torch.py
]
