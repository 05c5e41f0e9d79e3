"""The operators as functions of JAX, under jit, grad and vmap, on the CPU and on CUDA devices.

    import tilewright.jax
    loss = jax.jit(lambda image: tilewright.jax.gaussian_blur(image, 3.0).sum())
    jax.grad(loss)(image)

The functions take arrays of JAX and, as Python's numbers and words, the options of the functions of
`tilewright`; also `schedule` and `layout`. vmap calls them for one image after another; with `layout` one
call takes many images.

XLA calls the operators by its interface for foreign functions: they read and write XLA's own memory, and
nothing is copied. On a GPU the work is done in the stream that XLA names.

Gradients: of gaussian_blur, recursive_gaussian, transpose, column_sum, row_sum, matmul and fft2d, of the
first and of higher orders; others refuse grad. That of recursive_gaussian leaves out what weighs less than
10^-6.
"""

import ctypes
import functools
import inspect
import math
import types
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from . import _operators, planes
from ._gradients import GRADIENTS
from ._tilewright import operators

if TYPE_CHECKING:
    from ._operators import *  # noqa: F403: the result has the type of the first array

__all__ = list(_operators.__all__)


# What XLA hands to a foreign function, as xla/ffi/api/c_api.h declares it: version 0 of that interface, which
# later versions enlarge at the ends of these structs.
_HEAD = {"size_of_this": ctypes.c_size_t, "extension": ctypes.c_void_p}


def _struct(**fields):
    return type("_Struct", (ctypes.Structure,), {"_fields_": list(fields.items())})


def _list_of(struct, **between):
    pointers = ctypes.POINTER(ctypes.POINTER(struct))
    return _struct(**_HEAD, count=ctypes.c_int64, types=ctypes.c_void_p, **between, each=pointers)


_int64s = ctypes.POINTER(ctypes.c_int64)
_Buffer = _struct(**_HEAD, type=ctypes.c_int, data=ctypes.c_void_p, axes=ctypes.c_int64, shape=_int64s)
_Number = _struct(type=ctypes.c_int, value=_int64s)
_Version = _struct(**_HEAD, major=ctypes.c_int, minor=ctypes.c_int)
_Metadata = _struct(size_of_this=ctypes.c_size_t, version=_Version)
# What XLA asks of a function before it calls it. Type 1: of which version it is.
_Question = _struct(
    size_of_this=ctypes.c_size_t,
    type=ctypes.c_int,
    next=ctypes.c_void_p,
    metadata=ctypes.POINTER(_Metadata),
)
_Failure = _struct(**_HEAD, message=ctypes.c_char_p, code=ctypes.c_int)
# What XLA is asked of a call on a GPU: its stream, or the number of its device.
_Asked = _struct(**_HEAD, context=ctypes.c_void_p, answer=ctypes.c_void_p)
_Answer = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Asked))
_Interface = _struct(
    **_HEAD,
    version=_Version,
    internal=ctypes.c_void_p,
    failure=ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Failure)),
    others=ctypes.c_void_p * 3,
    stream=_Answer,
    more=ctypes.c_void_p * 12,
    device=_Answer,  # not before version 0.3
)
_Frame = _struct(
    size_of_this=ctypes.c_size_t,
    question=ctypes.POINTER(_Question),
    interface=ctypes.POINTER(_Interface),
    context=ctypes.c_void_p,
    stage=ctypes.c_int,
    arguments=_list_of(_Buffer),
    results=_list_of(_Buffer),
    attributes=_list_of(_Number, names=ctypes.c_void_p),
)

_calls = []  # that XLA may make: their numbers are in its programs


class _OnGpu:
    """XLA's memory on a GPU, as an array of planes.call."""

    __array_function__ = None  # for planes: it has axes
    flags = types.SimpleNamespace(c_contiguous=True)  # other rows are refused, because nothing is copied

    def __init__(self, address, shape, strides, dtype, device):
        self.shape, self.dtype, self.cuda_device = tuple(shape), dtype, device
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "shape": self.shape,
            "strides": tuple(strides),
            "data": (address, False),
        }

    def transpose(self, order):
        own = self.__cuda_array_interface__
        axes = ([of_axes[axis] for axis in order] for of_axes in (self.shape, own["strides"]))
        return _OnGpu(own["data"][0], *axes, self.dtype, self.cuda_device)


def _asked(ask, context):
    asked = _Asked(ctypes.sizeof(_Asked), None, context, None)
    if ask(ctypes.byref(asked)):
        raise RuntimeError("XLA does not say which stream and device it works on")
    return asked.answer or 0


def _of_gpu(frame):
    """The device and the stream of a call, and how its memory is read."""
    interface = frame.interface.contents
    knows_device = interface.size_of_this >= _Interface.device.offset + ctypes.sizeof(ctypes.c_void_p)
    device = _asked(interface.device, frame.context) & 0xFFFFFFFF if knows_device else 0

    def memory(buffer, dtype):
        shape = buffer.contents.shape[: buffer.contents.axes]
        strides = [dtype.itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        return _OnGpu(buffer.contents.data, shape, strides, dtype, device)

    return f"cuda:{device}", _asked(interface.stream, frame.context), memory


def _call_of(frame, place):
    """XLA's call. It gives None, or XLA's description of an error."""
    frame = frame.contents
    if frame.question and frame.question.contents.type == 1:
        version = frame.question.contents.metadata.contents.version
        # That of XLA itself, which JAX 0.5 does not say here: it is 0.1.
        version.major, version.minor = 0, frame.interface.contents.version.minor if frame.interface else 1
        return None
    try:
        call, dtypes, made = _calls[frame.attributes.each[0].contents.value.contents.value]
        device, stream, memory = place(frame)
        arrays = [memory(frame.arguments.each[number], dtype) for number, dtype in enumerate(dtypes)]
        call.run(arrays, memory(frame.results.each[0], made), device, stream)
        return None
    except BaseException as error:  # there is no caller in Python that could catch it
        failed = _Failure(ctypes.sizeof(_Failure), None, str(error).encode(), 13)  # "internal"
        return frame.interface.contents.failure(ctypes.byref(failed))


def _memory(buffer, dtype):
    """XLA's memory as an array of NumPy."""
    shape = buffer.contents.shape[: buffer.contents.axes]
    memory = (ctypes.c_char * (math.prod(shape) * dtype.itemsize)).from_address(buffer.contents.data)
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(shape)


_Function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))
_functions = {
    "cpu": _Function(lambda frame: _call_of(frame, lambda _: ("cpu", 0, _memory))),
    "CUDA": _Function(lambda frame: _call_of(frame, _of_gpu)),
}
for _platform, _entered in _functions.items():
    jax.ffi.register_ffi_target("tilewright", jax.ffi.pycapsule(_entered), platform=_platform)


@functools.lru_cache(1024)
def _number(call, types, made):
    """The number of a call of arrays of these types."""
    _calls.append((call, types, made))
    return np.int64(len(_calls) - 1)


class _Call:
    """A call of an operator but for its arrays. Calls that are equal have one function for JAX."""

    def __init__(self, op, values, schedule, layout):
        self.op, self.values, self.schedule, self.layout = op, values, schedule, layout
        self.given = dict(zip((option.name for option in op.options), values))
        self.axes = (layout.find("h"), layout.find("w")) if isinstance(layout, str) else (0, 1)

    def again(self, *arrays, **changed):
        """The same call on other arrays, or with other options."""
        values = tuple({**self.given, **changed}.values())
        return _function(self.op.name, values, self.schedule, self.layout)(*arrays)

    def result(self, arrays):
        """The type and the shape of the result."""
        shapes = [planes.type_and_shape(array) for array in arrays]
        if self.layout:
            made = planes.Planes(self.op, self.layout, shapes, self.values)
            dtype, shape = made.output[0], made.shape
        else:
            dtype, shape = self.op.output_of(shapes, self.values)
        if jax.dtypes.canonicalize_dtype(dtype) != dtype:
            raise TypeError(
                f'{self.op.name}: the result is {dtype}; jax.config.update("jax_enable_x64", True) allows it'
            )
        return jax.ShapeDtypeStruct(tuple(shape), dtype)

    def run(self, arrays, out, device, stream):
        how = (out, device, self.schedule, None, stream, None, self.layout, None)
        planes.call(self.op.name, tuple(arrays), self.values, *how)

    def __call__(self, *arrays):
        made = self.result(arrays)
        number = _number(self, tuple(array.dtype for array in arrays), made.dtype)
        return jax.ffi.ffi_call("tilewright", made, vmap_method="sequential")(*arrays, call=number)


class _Backward(_Call):
    """A call of which the gradients of its arrays are wanted (_gradients.py)."""

    library, pad = jnp, staticmethod(jnp.pad)

    def __init__(self, call, arrays):
        super().__init__(call.op, call.values, call.schedule, call.layout)
        self.arrays = arrays
        self.shapes, self.types = [array.shape for array in arrays], [array.dtype for array in arrays]

    def converted(self, array, dtype):
        return array.astype(dtype)

    def gradients(self, grad):
        # JAX's gradient of a complex array is the conjugate of PyTorch's.
        made = zip(GRADIENTS[self.op.name](self, jnp.conj(grad)), self.arrays)
        return tuple(
            jnp.conj(one).astype(a.dtype) if jnp.issubdtype(a.dtype, jnp.inexact) else None for one, a in made
        )


@functools.lru_cache(1024)
def _function(name, values, schedule, layout):
    call = _Call(operators[name], values, schedule, layout)
    function = jax.custom_vjp(call.__call__)

    def forward(*arrays):
        if name not in GRADIENTS or name == "fresnel":
            raise TypeError(f"{name}: has no gradient; jax.lax.stop_gradient() its input if none is needed")
        return function(*arrays), arrays

    def backward(arrays, grad):
        return _Backward(call, arrays).gradients(grad)

    function.defvjp(forward, backward)
    return function


def _made(op):
    signature = inspect.signature(getattr(_operators, op.name))
    left_out = ("out", "device", "stats", "stream", "dtype", "progress")
    if op.optional_input:
        left_out += (op.optional_input.name,)
    parameters = [each for each in signature.parameters.values() if each.name not in left_out]
    signature = signature.replace(parameters=parameters, return_annotation=jax.Array)

    def function(*arguments, **named):
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        given = bound.arguments
        arrays = [jnp.asarray(given[name]) for name in op.inputs]
        values = tuple(given[option.name] for option in op.options)
        return _function(op.name, values, given["schedule"], given.get("layout"))(*arrays)

    function.__name__ = function.__qualname__ = op.name
    function.__signature__, function.__module__ = signature, __name__
    function.__doc__ = f"""tilewright.{op.name} for arrays of JAX: {op.summary}.

Its parameters are those of tilewright.{op.name}, but for `out`, `device`, `stats`, `stream`, `dtype` and
`progress`.

Returns
-------
jax.Array
    What tilewright.{op.name} returns, or its tracer.

Raises
------
TypeError, ArgumentError
    When the call is traced, for what tilewright.{op.name} refuses, and for types that JAX has only with
    jax_enable_x64.
jax.errors.JaxRuntimeError
    When it runs, with the words of the error of tilewright.{op.name}.
"""
    return function


for _name in __all__:
    globals()[_name] = _made(operators[_name])
