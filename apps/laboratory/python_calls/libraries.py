"""The libraries that python_calls.py times, and what they call in place of an operator.

A library has `calls(case)`, which gives a name and a function for each of its ways to compute the case: the
function takes the inputs and the result of an earlier call, which it may write into. It also has `put(array)`
and `get(result)`, which bring NumPy's arrays to it and back, and clocks.
"""
import ctypes
import glob
import importlib
import os
import sys
import time


class Library:
    """What libraries on the CPU have in common."""
    name = ''
    packages = ()  # those that must be there

    def __init__(self, device, threads):
        self.device, self.threads = device, threads
        self.modules = [importlib.import_module(package) for package in self.packages]

    def put(self, array):
        return array

    def get(self, result):
        return result

    def wait(self):
        pass

    def begin(self):
        self.wait()
        self.start = time.perf_counter()

    def end_ms(self):
        self.wait()
        return (time.perf_counter() - self.start) * 1000


def axis_of(case):
    return 0 if case.operator == 'column_sum' else 1


def taps_of(case):
    return 2 * int(4 * case.sigma + .5) + 1


class Tilewright(Library):
    name = 'Tilewright'
    packages = ('tilewright',)

    def settings(self, case):
        return {'device': self.device, **({'sigma': case.sigma} if case.sigma else {})}

    def calls(self, case):
        operator = getattr(self.modules[0], case.operator)
        settings = self.settings(case)
        yield 'Tilewright', lambda *given: operator(*given[:-1], out=given[-1], **settings)
        yield 'Tilewright, new result', lambda *given: operator(*given[:-1], **settings)


class NumPy(Library):
    name = 'NumPy'
    packages = ('numpy',)

    def calls(self, case):
        np, = self.modules
        if case.operator in ('column_sum', 'row_sum'):
            dtype = np.float32 if case.kind == 'f32' else np.uint32
            yield 'NumPy sum', lambda a, out: np.sum(a, axis=axis_of(case), dtype=dtype, out=out)
        elif case.operator == 'transpose':
            def transpose(a, out):
                out = np.empty_like(np.swapaxes(a, 0, 1), order='C') if out is None else out
                np.copyto(out, np.swapaxes(a, 0, 1))
                return out
            yield 'NumPy transpose', transpose
        elif case.operator == 'matmul':
            yield 'NumPy matmul', lambda a, b, out: np.matmul(a, b, out=out)
        elif case.operator == 'invert':
            yield 'NumPy invert', lambda a, out: np.invert(a, out=out)


class SciPy(Library):
    name = 'SciPy'
    packages = ('scipy.fft', 'scipy.ndimage')

    def calls(self, case):
        fft, ndimage = self.modules
        if case.operator == 'fft2d':
            yield 'SciPy fft2', lambda a, out: fft.fft2(a, workers=self.threads)
        elif case.operator == 'gaussian_blur' and case.width * case.height <= 1 << 20:
            sigmas = (case.sigma, case.sigma) + (0,) * (case.channels > 1)
            yield 'SciPy gaussian_filter', lambda a, out: ndimage.gaussian_filter(
                a, sigmas, output=out, mode='reflect')


class OpenCV(Library):
    name = 'OpenCV'
    packages = ('cv2',)

    def calls(self, case):
        cv2, = self.modules
        cv2.setNumThreads(self.threads)
        if case.operator in ('column_sum', 'row_sum'):
            depth = cv2.CV_32F if case.kind == 'f32' else cv2.CV_32S
            yield 'OpenCV reduce', lambda a, out: cv2.reduce(
                a, axis_of(case), cv2.REDUCE_SUM, dst=out, dtype=depth)
        elif case.operator == 'transpose':
            yield 'OpenCV transpose', lambda a, out: cv2.transpose(a, out)
        elif case.operator == 'invert':
            yield 'OpenCV bitwise_not', cv2.bitwise_not
        elif case.operator in ('gaussian_blur', 'recursive_gaussian'):
            # Its own window: a radius of 3 sigma for u8, and of 4 sigma for others.
            yield 'OpenCV GaussianBlur', lambda a, out: cv2.GaussianBlur(
                a, (0, 0), case.sigma, dst=out, borderType=cv2.BORDER_REFLECT)


class MKL(Library):
    name = 'MKL'
    packages = ('numpy',)

    def __init__(self, device, threads):
        super().__init__(device, threads)
        found = glob.glob(os.path.join(sys.prefix, 'lib', 'libmkl_rt.so*'))
        if not found:
            raise ImportError('libmkl_rt is not in ' + sys.prefix)
        self.mkl = ctypes.CDLL(found[0])

    def calls(self, case):
        np, mkl = self.modules[0], self.mkl
        w, h = case.width, case.height

        def pointers(*arrays):
            return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]

        def product(a, b, out):
            out = np.empty((h, w), np.float32) if out is None else out
            one, none = ctypes.c_float(1), ctypes.c_float(0)
            left, right, to = pointers(a, b, out)
            mkl.cblas_sgemm(101, 111, 111, h, w, w, one, left, w, right, w, none, to, w)
            return out

        if case.operator == 'matmul':
            yield 'MKL sgemm', product
        elif case.operator == 'fft2d':
            plan, sides = ctypes.c_void_p(), (ctypes.c_long * 2)(h, w)
            single, of_complex, placement, not_in_place = 35, 32, 11, 44
            mkl.DftiCreateDescriptor(ctypes.byref(plan), single, of_complex, ctypes.c_long(2), sides)
            mkl.DftiSetValue(plan, placement, not_in_place)
            mkl.DftiCommitDescriptor(plan)

            def transform(a, out):
                out = np.empty_like(a) if out is None else out
                mkl.DftiComputeForward(plan, *pointers(a, out))
                return out
            yield 'MKL DftiComputeForward', transform


class CuPy(Library):
    name = 'CuPy'
    packages = ('cupy', 'cupyx.scipy.ndimage', 'tilewright')

    def put(self, array):
        return self.modules[0].asarray(array)

    def get(self, result):
        return self.modules[0].asnumpy(result)

    def wait(self):
        self.modules[0].cuda.Device().synchronize()

    def calls(self, case):
        cupy, ndimage, tilewright = self.modules
        own = getattr(tilewright, case.operator)
        settings = {'sigma': case.sigma} if case.sigma else {}
        yield 'Tilewright, arrays of CuPy', lambda *given: own(*given[:-1], out=given[-1], **settings)
        yield 'Tilewright, arrays of CuPy, new result', lambda *given: own(*given[:-1], **settings)
        if case.operator in ('column_sum', 'row_sum'):
            dtype = cupy.float32 if case.kind == 'f32' else cupy.uint32
            yield 'CuPy sum', lambda a, out: cupy.sum(a, axis_of(case), dtype=dtype, out=out)
        elif case.operator == 'transpose':
            yield 'CuPy copy of the transpose', lambda a, out: cupy.ascontiguousarray(a.swapaxes(0, 1))
        elif case.operator == 'matmul':
            yield 'CuPy matmul', lambda a, b, out: cupy.matmul(a, b, out=out)
        elif case.operator == 'fft2d':
            yield 'CuPy fft2', lambda a, out: cupy.fft.fft2(a)
        elif case.operator == 'invert':
            yield 'CuPy invert', lambda a, out: cupy.invert(a, out=out)
        elif case.operator == 'gaussian_blur' and case.channels == 1:
            yield 'CuPy gaussian_filter', lambda a, out: ndimage.gaussian_filter(
                a, case.sigma, output=out, mode='reflect')


class CVCUDA(CuPy):
    """CV-CUDA (`pip install cvcuda-cu12` or `cvcuda-cu13`) on arrays of CuPy, in CUDA's default stream."""
    name = 'CV-CUDA'
    packages = ('cupy', 'cvcuda')

    def calls(self, case):
        cupy, cvcuda = self.modules
        tensors, taps = {}, taps_of(case)

        def tensor(array):
            shape = (case.height, case.width, case.channels)
            if array.data.ptr not in tensors:
                tensors[array.data.ptr] = cvcuda.as_tensor(array.reshape(shape), 'HWC')
            return tensors[array.data.ptr]

        def blur(a, out):
            out = cupy.empty_like(a) if out is None else out
            cvcuda.gaussian_into(tensor(out), tensor(a), (taps, taps), (case.sigma, case.sigma),
                                 cvcuda.Border.REFLECT, stream=cvcuda.Stream.default)
            return out
        if case.operator == 'gaussian_blur':
            yield 'CV-CUDA gaussian', blur


class PyTorch(Library):
    name = 'PyTorch'
    packages = ('torch', 'tilewright.torch')

    def __init__(self, device, threads):
        super().__init__(device, threads)
        torch = self.modules[0]
        torch.set_num_threads(threads)
        torch.backends.cuda.matmul.allow_tf32 = False
        self.place = 'cuda' if device == 'cuda' else 'cpu'
        if self.place == 'cuda' and not torch.cuda.is_available():
            raise ImportError('PyTorch sees no CUDA device')
        try:
            self.vision = importlib.import_module('torchvision.transforms.v2.functional')
        except ImportError:
            self.vision = None

    def put(self, array):
        return self.modules[0].from_numpy(array).to(self.place)

    def get(self, result):
        return result.cpu().numpy()

    def wait(self):
        if self.place == 'cuda':
            self.modules[0].cuda.synchronize()

    def blurs(self, case):
        torch, taps = self.modules[0], taps_of(case)
        at = torch.arange(-(taps // 2), taps // 2 + 1, device=self.place)
        weights = torch.exp(-.5 * at ** 2 / case.sigma ** 2)
        weights = (weights / weights.sum())[None, None, None]

        def convolved(image, out):
            """A blur as PyTorch programs write it: two convolutions, with the border `mirror`."""
            pad, conv = torch.nn.functional.pad, torch.nn.functional.conv2d
            side = taps // 2
            rows = conv(pad(image.float()[None, None], (side, side, 0, 0), mode='reflect'), weights)
            return conv(pad(rows, (0, 0, side, side), mode='reflect'), weights.mT)[0, 0]
        yield 'two convolutions of PyTorch', convolved
        # Its window is not separated, so that large images take minutes on a CPU.
        if self.vision and (self.place == 'cuda' or case.width * case.height <= 1 << 20):
            yield 'torchvision gaussian_blur', lambda a, out: self.vision.gaussian_blur(
                a[None], [taps, taps], [case.sigma])[0]

    def calls(self, case):
        torch, own = self.modules
        if case.kind in ('u16', 'rgb8', 'rgb16'):
            return  # PyTorch has few operations for them
        settings = {'sigma': float(case.sigma)} if case.sigma else {}
        if hasattr(own, case.operator):
            operator = getattr(own, case.operator)
            yield 'tilewright.torch', lambda *given: operator(*given[:-1], **settings)
        if case.operator in ('column_sum', 'row_sum'):
            dtype = torch.float32 if case.kind == 'f32' else torch.int32
            yield 'PyTorch sum', lambda a, out: a.sum(axis_of(case), dtype=dtype)
        elif case.operator == 'transpose':
            yield 'PyTorch contiguous transpose', lambda a, out: a.T.contiguous()
        elif case.operator == 'matmul':
            yield 'PyTorch matmul', lambda a, b, out: torch.matmul(a, b, out=out)
        elif case.operator == 'fft2d':
            yield 'PyTorch fft2', lambda a, out: torch.fft.fft2(a)
        elif case.operator == 'invert':
            yield 'PyTorch bitwise_not', lambda a, out: torch.bitwise_not(a, out=out)
        elif case.operator == 'gaussian_blur':
            yield from self.blurs(case)


ON_CPU = (Tilewright, NumPy, SciPy, OpenCV, MKL, PyTorch)
ON_CUDA = (CuPy, CVCUDA, PyTorch)
