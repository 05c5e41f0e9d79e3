# What the pipeline generator refuses when a pipeline is made: each refusal is one line, with the number and
# the text of the stage and with what the stage got.
# Arguments: GENERATOR.
function(refused words said)
    execute_process(COMMAND ${GENERATOR} describe ${words}
        RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE error)
    if (code EQUAL 0 OR NOT out STREQUAL ""
        OR NOT error MATCHES "^pipeline: [^\n]+\n$" OR NOT error MATCHES "${said}")
        message(SEND_ERROR "${words}\n  gave code ${code} and: ${out}${error}  where it should say: ${said}")
    endif ()
endfunction()
function(taken words said)
    execute_process(COMMAND ${GENERATOR} describe ${words}
        RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE error)
    if (NOT code EQUAL 0 OR NOT out STREQUAL "${said}\n")
        message(SEND_ERROR "${words}\n  gave code ${code} and: ${out}${error}  where it should say: ${said}")
    endif ()
endfunction()

taken("stages=gaussian_blur sigma=2 | transpose | column_sum" "u8 image -> u32 vector")
taken("stages= gaussian_blur sigma=2 border=zero|transpose;type=rgb8"
    "u8 image of 3 channels -> u8 image of 3 channels")
taken("stages=row_sum output-type=f32;type=u16" "u16 image -> f32 vector")
taken("stages=row_sum;type=f64" "f64 image -> f64 vector")
taken("stages=gaussian_blur | row_sum;type=bf16;schedule=fused" "bf16 image -> f32 vector")
taken("stages=transpose;type=rgba16" "u16 image of 4 channels -> u16 image of 4 channels")
taken("stages=transpose;type=f32x2" "f32 image of 2 channels -> f32 image of 2 channels")

refused("stages=" "stage 1 '': there is nothing")
refused("stages=transpose | | invert" "stage 2 '': there is nothing")
refused("stages=blur sigma=2"
    "stage 1 'blur sigma=2': there is no such operator; a pipeline is made of invert, ")
foreach (op matmul min_plus_convolution fft2d fresnel recursive_gaussian)
    refused("stages=transpose | ${op}"
        "stage 2 '${op}': it cannot be composed at build time .*`tilewright pipeline`")
endforeach ()
refused("stages=transpose tile=3"
    "stage 1 'transpose tile=3': there is no option 'tile'; transpose takes none")
refused("stages=gaussian_blur sigma" "stage 1 'gaussian_blur sigma': 'sigma' is no setting; write name=value")
refused("stages=gaussian_blur sigma=1 sigma=2" "'sigma' is set twice")
refused("stages=gaussian_blur sigma=0" "sigma '0' must be a number above 0 and at most 64")
refused("stages=gaussian_blur sigma=2x" "sigma '2x' must be")
refused("stages=gaussian_blur sigma=nan" "sigma 'nan' must be")
refused("stages=gaussian_blur border=wrap"
    "there is no border 'wrap'; it takes reflect, mirror, nearest or zero")
refused("stages=column_sum output-type=u8" "output-type 'u8' must be u32 or f32")
refused("stages=column_sum output-type=u32;type=f32" "stage 1 .*sums of an f32 image are f32")
refused("stages=gaussian_blur sigma=2 | column_sum | transpose"
    "stage 3 'transpose': takes a u8 or u16 or f16 or bf16 or f32 or f64 image, and gets a u32 vector")
refused("stages=invert;type=f32" "stage 1 'invert': takes a u8 or u16 image, and gets a f32 image")
refused("stages=row_sum;type=rgb8"
    "stage 1 'row_sum': takes a u8 or .* image of one channel, and gets a u8 image of 3 channels")
foreach (type i32 u8x1 u8x5 rgb rgb32 rgbf32)
    refused("stages=transpose;type=${type}" "takes no images of type '${type}'; it takes u8, u16, f16")
endforeach ()
refused("stages=transpose;type=f64;schedule=fused" "stage 1 'transpose': tiles of f64 do not fit")
refused("stages=transpose;schedule=fast" "no pipeline schedule 'fast'; it takes staged or fused")
refused("stages=transpose;type=rgb8;schedule=fused"
    "stage 1 'transpose': fused transposes images of one channel")
refused("stages=gaussian_blur sigma=30;schedule=fused"
    "stage 1 'gaussian_blur sigma=30': its window is too large for tiles")
refused("stages=transpose;capability=20" "capability '20': Halide 21 writes code for 30 and newer")
refused("stages=transpose;backend=gpu" "there is no backend 'gpu'")
