"""Arrays in chunks, by bands: the values of one call per plane, each chunk is read and written once, and
files are whole or absent. Long because all tests share sources and targets of each kind."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import tilewright
import tilewright.bands as bands

RNG = np.random.default_rng(3)
BLUR = "gaussian_blur sigma=2"


def image(shape, dtype="uint8"):
    if dtype == "float32":
        return RNG.random(shape, dtype=np.float32)
    return RNG.integers(0, np.iinfo(dtype).max + 1, shape).astype(dtype)


def plane_by_plane(array, stages, axes=2):
    pipeline = tilewright.Pipeline(stages)
    planes = array.reshape((-1,) + array.shape[-axes:])
    results = np.stack([pipeline(np.ascontiguousarray(p), device="cpu") for p in planes])
    return results.reshape(array.shape[:-axes] + results.shape[1:])


def zarr():
    return pytest.importorskip("zarr", reason="not run here: the package zarr is not installed")


def tifffile():
    zarr()
    return pytest.importorskip("tifffile", reason="not run here: the package tifffile is not installed")


def write_zarr(path, array, version=3, chunks=(64, 100)):
    made = zarr().create_array(
        store=str(path),
        shape=array.shape,
        chunks=(1,) * (array.ndim - 2) + chunks,
        dtype=array.dtype,
        zarr_format=version,
    )
    made[...] = array
    return path


def write_tiff(path, array, **how):
    tifffile().imwrite(path, array, ome=True, metadata={"axes": "TZCYX"[-array.ndim :]}, **how)
    return path


def read(path):
    if str(path).endswith((".tif", ".tiff")):
        return tifffile().imread(path)
    return zarr().open(str(path), mode="r")[...]


SOURCES = {
    "zarr2": lambda path, a: write_zarr(path / "in.zarr", a, 2),
    "zarr3": lambda path, a: write_zarr(path / "in.zarr", a, 3),
    "tiles": lambda path, a: write_tiff(path / "in.ome.tif", a, tile=(64, 96), compression="zlib"),
    "strips": lambda path, a: write_tiff(path / "in.tif", a, rowsperstrip=7, compression="zlib"),
    "in one piece": lambda path, a: write_tiff(path / "in.tiff", a, byteorder=">"),
    "array": lambda path, a: a,
}


@pytest.mark.parametrize("target", ["out.zarr", "out.ome.tif"])
@pytest.mark.parametrize("source", list(SOURCES))
def test_values_are_those_of_each_plane(tmp_path, source, target):
    tifffile() if target.endswith("tif") else zarr()
    for array, stages in [
        (image((2, 3, 201, 157)), BLUR),
        (image((131, 300), "uint16"), f"{BLUR} border=mirror | transpose"),
        (image((3, 90, 70), "float32"), BLUR),
    ]:
        given = SOURCES[source](tmp_path, array)
        done = bands.process(given, tmp_path / target, stages, memory="2M", device="cpu")
        result = read(tmp_path / target)
        np.testing.assert_array_equal(result, plane_by_plane(array, stages))
        assert (done["shape"], done["dtype"]) == (result.shape, result.dtype.name)
        assert done["planes"] == int(np.prod(array.shape[:-2])) <= done["bands"]
        if not isinstance(given, np.ndarray):
            assert sorted(os.listdir(tmp_path)) == sorted([given.name, target]), "nothing else is left"
            shutil.rmtree(given) if given.is_dir() else given.unlink()


def test_colours_of_pixels_stay_together(tmp_path):
    tifffile().imwrite(tmp_path / "in.tif", image((70, 90, 3)), tile=(32, 32), compression="zlib")
    for target in ("out.zarr", "out.tif"):
        bands.process(tmp_path / "in.tif", tmp_path / target, BLUR, device="cpu")
        expected = plane_by_plane(read(tmp_path / "in.tif"), BLUR, 3)
        np.testing.assert_array_equal(read(tmp_path / target), expected)


class Chunked:
    """An array in chunks that notes which rows are read and written."""

    def __init__(self, array, chunks):
        self.array, self.chunks = array, chunks
        self.shape, self.dtype, self.read, self.written = array.shape, array.dtype, [], []

    def __getitem__(self, index):
        self.read.append((index[0], index[1].start, index[1].stop))
        return self.array[index]

    def __setitem__(self, index, part):
        self.written.append((index[0], index[1].start, index[1].stop))
        self.array[index] = part


def test_each_chunk_is_read_and_written_once(monkeypatch):
    monkeypatch.setattr(bands, "_WORTH", 1)
    array = image((2, 205, 4000))
    source, target = Chunked(array, (1, 50, 100)), Chunked(np.zeros_like(array), (1, 64, 100))
    done = bands.process(source, target, BLUR, memory="1500K", device="cpu")
    assert done["rows"] < 50
    np.testing.assert_array_equal(target.array, plane_by_plane(array, BLUR))
    assert source.read == [(p, y, min(y + 50, 205)) for p in (0, 1) for y in range(0, 205, 50)]
    assert target.written == [(p, y, min(y + 64, 205)) for p in (0, 1) for y in range(0, 205, 64)]


def test_sums_are_vectors(tmp_path):
    array = image((3, 300, 41), "uint16")
    for stages in ("column_sum", "row_sum output-type=u64"):
        expected = plane_by_plane(array, stages)
        target = np.zeros_like(expected)
        bands.process(array, target, stages, memory="1M", device="cpu")
        np.testing.assert_array_equal(target, expected)
    with pytest.raises(tilewright.ArgumentError, match="the result is sums"):
        bands.process(array, tmp_path / "out.tif", "column_sum")
    with pytest.raises(tilewright.ArgumentError, match="the result is sums"):
        bands.process(image((300, 41, 3)), tmp_path / "out.tif", "row_sum", axes="yxs")


@pytest.mark.parametrize("name", ["out.tif", "out.ome.tif"])
@pytest.mark.parametrize("samples", [1, 2, 3, 4])
def test_a_tiff_has_any_number_of_samples(tmp_path, samples, name):
    array = image((2, 300, 41, samples))
    bands.process(array, tmp_path / name, "invert", axes="zyxs")
    with tifffile().TiffFile(tmp_path / name) as file:
        assert file.series[0].axes == ("ZYXS" if samples > 1 else "ZYX")
        np.testing.assert_array_equal(file.asarray().reshape(array.shape), 255 - array)


def test_operators_on_whole_images_take_whole_planes_where_there_is_room():
    array = image((2, 120, 90))
    target = np.zeros_like(array)
    bands.process(array, target, "recursive_gaussian sigma=5", device="cpu")
    np.testing.assert_array_equal(target, plane_by_plane(array, "recursive_gaussian sigma=5"))
    for stages in ("fft2d", "recursive_gaussian | transpose", "recursive_gaussian | column_sum"):
        given = array.astype("float32") if stages == "fft2d" else array
        expected = plane_by_plane(given, stages)
        target = np.zeros_like(expected)
        done = bands.process(given, target, stages)
        np.testing.assert_allclose(target, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
        assert done["device"] != "auto" and done["dtype"] == expected.dtype
    large, parts = image((2, 2039, 2039), "float32"), []  # calls are asked every 50 ms
    spectra = np.zeros(large.shape, np.complex64)
    bands.process(large, spectra, "fft2d | fft2d", progress=parts.append, device="cpu", memory="1G")
    assert parts and parts == sorted(parts) and parts[-1] <= 1
    with pytest.raises(tilewright.ArgumentError, match="recursive_gaussian needs the whole image.*take 1M"):
        bands.process(array, np.zeros_like(array), "recursive_gaussian sigma=5", memory=20000)


def test_too_little_memory_says_what_would_do():
    array = image((900, 3000))
    with pytest.raises(tilewright.ArgumentError) as refused:
        bands.process(array, np.zeros_like(array), BLUR, memory="100K", device="cpu")
    least = str(refused.value).rsplit(" ", 1)[1]
    assert least.endswith("M")
    target = np.zeros_like(array)
    bands.process(array, target, BLUR, memory=least, device="cpu")
    np.testing.assert_array_equal(target, plane_by_plane(array, BLUR))


@pytest.mark.parametrize(
    "change,error,says",
    [
        ({"memory": "lots"}, tilewright.ArgumentError, "takes a number of bytes"),
        ({"memory": "\u00b2M"}, tilewright.ArgumentError, "takes a number of bytes"),
        ({"memory": "9" * 5000}, tilewright.ArgumentError, "takes a number of bytes"),
        ({"memory": 2**70}, tilewright.ArgumentError, "takes a number of bytes"),
        ({"progress": 3}, TypeError, "progress: takes a function of one number, not int"),
        ({"axes": "xy"}, tilewright.ArgumentError, "one letter per axis"),
        ({"target": "out.png"}, tilewright.ArgumentError, "must end in .zarr, .tif"),
        ({"source": "nothing.zarr"}, FileNotFoundError, "there is no such file"),
        ({"source": 3}, TypeError, "not int"),
        ({"source": __file__}, tilewright.ArgumentError, "it is no folder of zarr"),
        ({"axes": 3}, TypeError, "axes: takes a word with a letter per axis, not int"),
        ({"target": 3}, TypeError, "not int"),
        ({"target": np.zeros((5, 5), np.uint8)}, tilewright.ArgumentError, r"must be uint8 \(30, 40\)"),
        ({"stages": "no_operator"}, tilewright.ArgumentError, "no_operator"),
    ],
)
def test_what_is_refused(change, error, says):
    call = {"source": image((30, 40)), "target": np.zeros((30, 40), np.uint8), "stages": BLUR, **change}
    with pytest.raises(error, match=says):
        bands.process(**call)


def test_dask_arrays_and_folders_of_any_kind_are_taken(tmp_path):
    dask = pytest.importorskip("dask.array", reason="not run here: the package dask is not installed")
    array = image((300, 205))
    target = np.zeros((205, 300), np.uint8)
    source = dask.from_array(array, chunks=((100, 150, 50), (205,)))
    bands.process(source, target, "transpose", scratch=tmp_path, memory="999999999G", device="cpu")
    np.testing.assert_array_equal(target, array.T)


def test_a_package_that_is_missing_is_named(tmp_path, monkeypatch):
    (tmp_path / "in.zarr").mkdir()
    for package, source in (("zarr", "in.zarr"), ("tifffile", "in.zarr/../in.tif")):
        (tmp_path / "in.tif").touch()
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=f"the package {package} is not installed; `pip install"):
            bands.process(tmp_path / source, tmp_path / "out.zarr", BLUR)


def test_a_group_of_ome_zarr_gives_its_largest_image(tmp_path):
    array = image((2, 80, 60))
    group = zarr().open_group(str(tmp_path / "in.zarr"), mode="w")
    write_zarr(tmp_path / "in.zarr" / "0", array)
    with pytest.raises(tilewright.ArgumentError, match="name one of its arrays: 0"):
        bands.process(tmp_path / "in.zarr", tmp_path / "out.zarr", BLUR)
    axes = [{"name": name} for name in "zyx"]
    group.attrs["ome"] = {"multiscales": [{"axes": axes, "datasets": [{"path": "0"}]}]}
    bands.process(tmp_path / "in.zarr", tmp_path / "out.zarr", BLUR, device="cpu")
    np.testing.assert_array_equal(read(tmp_path / "out.zarr"), plane_by_plane(array, BLUR))


@pytest.mark.parametrize("version", [2, 3])
def test_a_group_is_not_replaced(tmp_path, version):
    place, array = tmp_path / "in.zarr", image((2, 80, 60))
    zarr().open_group(str(place), mode="w", zarr_format=version)
    write_zarr(place / "0", array, version)
    before = sorted(os.listdir(place))
    with pytest.raises(tilewright.ArgumentError, match="is no array of zarr"):
        bands.process(place / "0", place, BLUR)
    assert sorted(os.listdir(place)) == before and os.listdir(tmp_path) == ["in.zarr"]
    bands.process(place / "0", place / "soft.zarr", BLUR, device="cpu")
    np.testing.assert_array_equal(read(place / "soft.zarr"), plane_by_plane(array, BLUR))


def test_sizes_of_pixels_are_kept(tmp_path):
    sizes = {"axes": "ZYX", "PhysicalSizeX": 0.5, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 0.25}
    tifffile().imwrite(tmp_path / "in.ome.tif", image((2, 40, 30)), ome=True, metadata=sizes)
    bands.process(tmp_path / "in.ome.tif", tmp_path / "out.ome.tif", BLUR, device="cpu")
    with tifffile().TiffFile(tmp_path / "out.ome.tif") as file:
        assert file.series[0].axes == "ZYX"
        for words in ('PhysicalSizeX="0.5"', 'PhysicalSizeXUnit="nm"', 'PhysicalSizeY="0.25"'):
            assert words in file.ome_metadata


class Meanwhile(Chunked):
    """Calls a function with the first row of each piece that is read."""

    def __init__(self, array, function):
        super().__init__(array, (32, 32))
        self.function = function

    def __getitem__(self, index):
        self.function(index[-1].start)
        return self.array[index]


def break_in_the_middle(y):
    if y >= 1500:
        raise OSError("the disk fell out")


TARGETS = pytest.mark.parametrize("target", ["out.zarr", "out.tif"])


def older(path, target):
    (write_zarr if target.endswith("zarr") else write_tiff)(path / target, np.full((9, 9), 7, np.uint8))
    return path / target


@TARGETS
def test_a_link_stays(tmp_path, target):
    array, link = image((2, 80, 60)), tmp_path / ("link" + target[3:])
    link.symlink_to(target)
    for make in (lambda: None, lambda: older(tmp_path, target)):  # to nothing, and to an older file
        make()
        bands.process(array, link, BLUR, device="cpu")
        assert link.is_symlink() and sorted(os.listdir(tmp_path)) == [link.name, target]
        np.testing.assert_array_equal(read(tmp_path / target), plane_by_plane(array, BLUR))
        shutil.rmtree(tmp_path / target) if target == "out.zarr" else os.unlink(tmp_path / target)


@TARGETS
def test_what_fails_in_the_middle_leaves_the_older_file(tmp_path, target):
    place, array = older(tmp_path, target), image((9000, 2000))
    with pytest.raises(OSError, match="the disk fell out"):
        bands.process(Meanwhile(array, break_in_the_middle), place, BLUR, memory="6M", device="cpu")
    with pytest.raises(tilewright.Error, match="cancelled"):
        slow = Meanwhile(array, lambda y: time.sleep(0.03))
        bands.process(slow, place, BLUR, memory="6M", device="cpu", progress=lambda done: False)
    assert (read(place) == 7).all() and os.listdir(tmp_path) == [target]


def test_a_tiff_that_is_broken_in_the_middle_leaves_the_older_file(tmp_path):
    place = older(tmp_path, "out.tif")
    source = write_tiff(tmp_path / "in.tif", image((600, 600)), tile=(64, 64), compression="zlib")
    with open(source, "r+b") as file:
        file.seek(os.path.getsize(source) // 2)
        file.write(bytes(40000))
    with pytest.raises(Exception):  # noqa: B017: what zlib calls it
        bands.process(source, place, BLUR, memory="2M", device="cpu")
    assert (read(place) == 7).all() and sorted(os.listdir(tmp_path)) == ["in.tif", "out.tif"]


def run_python(code, **names):
    words = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    return subprocess.run(
        [sys.executable, "-c", words + textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )


@TARGETS
def test_a_process_that_is_killed_leaves_the_older_file(tmp_path, target):
    place = older(tmp_path, target)
    ran = run_python(
        """
        import os, signal, sys, numpy as np
        sys.path.insert(0, tests)
        from test_bands import BLUR, Meanwhile, bands
        def kill(y):
            if y > 3000:
                os.kill(os.getpid(), signal.SIGKILL)
        image = Meanwhile(np.zeros((9000, 2000), np.uint8), kill)
        bands.process(image, place, BLUR, memory="6M", device="cpu")
        """,
        place=str(place),
        tests=os.path.dirname(__file__),
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert (read(place) == 7).all()


@TARGETS
def test_a_full_disk_leaves_the_older_file(tmp_path, target):
    place = older(tmp_path, target)
    ran = run_python(
        """
        import resource, numpy as np, tilewright.bands
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        source = np.random.default_rng(1).integers(0, 256, (2000, 2000)).astype(np.uint8)
        try:
            tilewright.bands.process(source, place, "invert", memory="6M", device="cpu")
        except OSError as error:
            print(error.strerror)
        """,
        place=str(place),
    )
    assert "File too large" in ran.stdout, ran.stderr
    assert (read(place) == 7).all() and os.listdir(tmp_path) == [target]


def test_memory_is_bounded():
    ran = run_python(
        """
        import resource, numpy as np, tilewright.bands
        class Zeros:
            shape, dtype, chunks = (100_000, 10_000), np.dtype("uint8"), (256, 256)
            def __getitem__(self, index):
                return np.zeros((index[0].stop - index[0].start, 10_000), np.uint8)
            def __setitem__(self, index, rows):
                assert not rows.any()
        tilewright.bands.process(np.zeros((100, 100), np.uint8), np.zeros((100, 100), np.uint8), "invert")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        tilewright.bands.process(Zeros(), Zeros(), "gaussian_blur sigma=3", memory="40M", device="cpu")
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        """
    )
    assert int(ran.stdout) * 1024 < (40 + 20) << 20, ran.stderr


def test_a_fork_meanwhile_does_not_wait(tmp_path):
    ran = run_python(
        """
        import os, sys, numpy as np, tilewright
        sys.path.insert(0, tests)
        from test_bands import BLUR, Meanwhile, bands
        def fork(y):
            child = os.fork() if y > 2000 and not codes else None
            if child is None:
                return
            if child == 0:
                try:
                    tilewright.invert(np.zeros((9, 9), np.uint8))
                except tilewright.Error as error:
                    os._exit(7 if "spawn" in str(error) else 1)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        codes = []
        source, target = np.zeros((9000, 3000), np.uint8), np.zeros((9000, 3000), np.uint8)
        bands.process(Meanwhile(source, fork), target, BLUR, memory="4M")
        tilewright.gaussian_blur(source, 2)
        print(codes)
        """,
        tests=os.path.dirname(__file__),
    )
    assert ran.stdout.strip() == "[7]", ran.stderr
