"""The documented steps, and what their publications say of them."""

# The documented steps in the order in which they are explained. Other variants that were timed come
# after them, and `tuned` and `auto` last.
STEPS = {
    'column_sum': ['bytes1', 'bytes4', 'bytes16', 'split'],
    'row_sum': ['serial', 'atomic', 'tree', 'lanes'],
    'transpose': ['direct', 'direct_mirrored', 'shared', 'padded', 'diagonal_unpadded', 'diagonal',
                  'vector4'],
    'matmul': ['direct', 'shared', 'registers'],
    'min_plus_convolution': ['direct', 'shared', 'branchless', 'registers', 'pruned'],
    'recursive_gaussian': ['columns', 'transposed', 'diagonal', 'half', 'texture', 'texture_half', 'blocks'],
    'gaussian_blur': ['direct', 'separable', 'shared', 'registers', 'branch', 'texture', 'half',
                      'texture_half', 'exp', 'native', 'relaxed'],
    'fft2d': ['passes', 'fused'],
    'fresnel': ['passes', 'fused'],
}

# The publications' own figures in milliseconds, and what they were measured on.
FIGURES = {
    ('column_sum', 'bytes1', 'u8 8192x8192'): '0.533',
    ('column_sum', 'bytes4', 'u8 8192x8192'): '0.356',
    ('matmul', 'direct', 'f32 512x512x512'): '101',
    ('min_plus_convolution', 'direct', 'f64 1000 uniform, all entries'): '1.3',
    ('min_plus_convolution', 'shared', 'f64 1000 uniform, all entries'): '0.8',
    ('min_plus_convolution', 'direct', 'f64 10000 uniform, all entries'): '5.1',
    ('min_plus_convolution', 'shared', 'f64 10000 uniform, all entries'): '5.1',
    ('min_plus_convolution', 'direct', 'f64 100000 uniform, all entries'): '443.6',
    ('min_plus_convolution', 'shared', 'f64 100000 uniform, all entries'): '344',
    ('min_plus_convolution', 'direct', 'f64 1000000 uniform'): '47300',
    ('min_plus_convolution', 'shared', 'f64 1000000 uniform'): '43300',
}
FIGURES_OF = {
    'column_sum': 'a GPU of its day, which it does not name',
    'matmul': 'the card of its author, which it does not name',
    'min_plus_convolution': 'a Tesla C2050, copies to the device and back included',
}

# Times of other libraries that stand beside the steps.
PEERS = ['cuFFT C2C']
