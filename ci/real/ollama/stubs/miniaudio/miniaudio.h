/*
 * The part of miniaudio's interface that Ollama's multimodal helper calls.
 *
 * Ollama keeps miniaudio in a folder named vendor, and the archive of a Go
 * module leaves every such folder out, so the header is missing when Ollama is
 * built from the module proxy. The lane sends text alone: here an audio
 * attachment is refused as a file that cannot be decoded.
 */
#ifndef PLUMBLINE_STUB_MINIAUDIO_H
#define PLUMBLINE_STUB_MINIAUDIO_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t ma_uint32;
typedef uint64_t ma_uint64;

typedef enum { MA_SUCCESS = 0, MA_NOT_IMPLEMENTED = -29 } ma_result;
typedef enum { ma_format_f32 = 5 } ma_format;

typedef struct { ma_format format; ma_uint32 channels, rate; } ma_decoder_config;
typedef struct { int unused; } ma_decoder;

static inline ma_decoder_config ma_decoder_config_init(ma_format format, ma_uint32 channels, ma_uint32 rate) {
    ma_decoder_config config = { format, channels, rate };
    return config;
}

static inline ma_result ma_decoder_init_memory(const void *, size_t, const ma_decoder_config *, ma_decoder *) {
    return MA_NOT_IMPLEMENTED;
}

static inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *frames) {
    *frames = 0;
    return MA_NOT_IMPLEMENTED;
}

static inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *read) {
    if (read) {
        *read = 0;
    }
    return MA_NOT_IMPLEMENTED;
}

static inline ma_result ma_decoder_uninit(ma_decoder *) {
    return MA_SUCCESS;
}

#endif
