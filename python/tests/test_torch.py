"""PyTorch on the host. Skipped where it is not installed."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import tilewright  # noqa: E402
import tilewright.torch  # noqa: E402

IMAGE = np.random.default_rng(2).integers(0, 256, (67, 91), dtype=np.uint8)
WANT = tilewright.gaussian_blur(IMAGE, 2, device="cpu")


def test_tensors_in_and_out():
    result = tilewright.gaussian_blur(torch.from_numpy(IMAGE), 2, device="cpu")
    assert isinstance(result, torch.Tensor)
    np.testing.assert_array_equal(result.numpy(), WANT)
    out = torch.empty_like(result)
    assert tilewright.gaussian_blur(torch.from_numpy(IMAGE), 2, out=out, device="cpu") is out
    with pytest.raises((RuntimeError, BufferError, TypeError)):
        tilewright.gaussian_blur(torch.ones((9, 9), requires_grad=True))


def test_every_operator_is_a_custom_operator():
    for name in tilewright.operators:
        assert hasattr(torch.ops.tilewright, name)
    tensor = torch.from_numpy(IMAGE)
    np.testing.assert_array_equal(torch.ops.tilewright.gaussian_blur(tensor, 2.0).numpy(), WANT)
    np.testing.assert_array_equal(tilewright.torch.transpose(tensor).numpy(), IMAGE.T)
    torch.library.opcheck(
        tilewright.torch.gaussian_blur,
        (tensor,),
        {"sigma": 2.0, "border": "mirror"},
        test_utils=("test_schema", "test_faketensor"),
    )


def test_the_graph_does_not_break():
    @torch.compile(fullgraph=True, backend="eager")
    def work(x):
        return tilewright.torch.gaussian_blur(x + 0, sigma=2.0).float() * 2

    np.testing.assert_array_equal(work(torch.from_numpy(IMAGE)).numpy(), WANT.astype(np.float32) * 2)
