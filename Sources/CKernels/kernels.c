#include "CKernels.h"

#include <string.h>

// A fused multiply-add rounds once, so results would depend on the processor.
#pragma STDC FP_CONTRACT OFF

// ThreadSanitizer is not ready when the loader chooses a clone.
#if defined(__x86_64__) && defined(__GLIBC__) && !__has_feature(thread_sanitizer)
#define WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIDE
#endif
// What a clone calls must be part of it.
#define PART static inline __attribute__((always_inline))

typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int32_t whole8 __attribute__((ext_vector_type(8)));
typedef _Bool flag8 __attribute__((ext_vector_type(8)));
typedef float unaligned8 __attribute__((ext_vector_type(8), aligned(4)));

// Macros, since functions cannot pass vectors that the default processor lacks.

#define LOAD(place) (*(const unaligned8 *)(place))
#define STORE(place, value) (*(unaligned8 *)(place) = (value))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

/// A loop over eight frames at a time. `load` defines the float8 left and right, or their sum and difference.
#define MIX(load)                                                      \
    do {                                                               \
        float8 lanes[4] = {0, 0, 0, 0};                                \
        for (size_t k = 0; k < count; k += 8) {                        \
            float8 plus, minus;                                        \
            load;                                                      \
            STORE(mixed + k, (difference ? minus : plus) * scale);     \
            lanes[0] += plus;                                          \
            lanes[1] += plus * plus;                                   \
            lanes[2] += minus;                                         \
            lanes[3] += minus * minus;                                 \
        }                                                              \
        float totals[4];                                               \
        for (int total = 0; total < 4; total++) {                      \
            totals[total] = lanes[total][0];                           \
            for (int lane = 1; lane < 8; lane++) totals[total] += lanes[total][lane]; \
        }                                                              \
        return (earshot_mix_sums){totals[0], totals[1], totals[2], totals[3]}; \
    } while (0)

WIDE earshot_mix_sums earshot_mix_planes(
    float *mixed, const float *left, const float *right, size_t count, _Bool difference, float scale) {
    MIX({
        plus = LOAD(left + k) + LOAD(right + k);
        minus = LOAD(left + k) - LOAD(right + k);
    });
}

WIDE earshot_mix_sums earshot_mix_floats(
    float *mixed, const float *frames, size_t count, _Bool difference, float scale) {
    MIX({
        float8 low = LOAD(frames + 2 * k);
        float8 high = LOAD(frames + 2 * k + 8);
        float8 left = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
        float8 right = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
        plus = left + right;
        minus = left - right;
    });
}

WIDE earshot_mix_sums earshot_mix_int16s(
    float *mixed, const int16_t *frames, size_t count, _Bool difference, float scale) {
    MIX({
        // A frame is 32 bits: left the lower half, right the upper.
        whole8 pairs;
        memcpy(&pairs, frames + 2 * k, sizeof pairs);
        whole8 left = pairs << 16 >> 16;
        whole8 right = pairs >> 16;
        plus = __builtin_convertvector(left + right, float8);
        minus = __builtin_convertvector(left - right, float8);
    });
}

WIDE void earshot_window_pair(
    float *first_product, float *second_product, const float *first, const float *second, const float *window,
    size_t count) {
    for (size_t k = 0; k < count; k += 8) {
        STORE(first_product + k, LOAD(first + k) * LOAD(window + k));
        STORE(second_product + k, LOAD(second + k) * LOAD(window + k));
    }
}

WIDE void earshot_pair_powers(
    float *first, float *second, const float *real, const float *imaginary, size_t size, size_t low, size_t high,
    float floor) {
    for (size_t k = low; k < high; k += 8) {
        float8 a = LOAD(real + k);
        float8 b = LOAD(imaginary + k);
        float8 c = LOAD(real + size - k - 7).s76543210;
        float8 d = LOAD(imaginary + size - k - 7).s76543210;
        float8 one = (a + c) * (a + c) + (b - d) * (b - d);
        float8 other = (b + d) * (b + d) + (c - a) * (c - a);
        STORE(first + k, one * 0.25f + floor);
        STORE(second + k, other * 0.25f + floor);
    }
}

WIDE void earshot_halve(float *output, size_t count, const float *input, const float *taps, size_t tap_count) {
    enum { most = 256 };
    float even[most + 2 * earshot_most_half_band_taps + 32];
    float odd[most + 2 * earshot_most_half_band_taps + 32];
    for (size_t start = 0; start < count; start += most) {
        size_t made = count - start < most ? count - start : most;
        for (size_t k = 0; k < made + 2 * tap_count - 1; k++) {
            even[k] = input[2 * (start + k)];
            odd[k] = input[2 * (start + k) + 1];
        }
        for (size_t k = 0; k < made; k += 32) {
            const float *before = odd + k + tap_count - 1;
            const float *after = odd + k + tap_count;
            float8 sums[4];
            for (int v = 0; v < 4; v++) sums[v] = LOAD(even + k + tap_count + 8 * v) * 0.5f;
            for (size_t tap = 0; tap < tap_count; tap++)
                for (int v = 0; v < 4; v++)
                    sums[v] += (LOAD(before - tap + 8 * v) + LOAD(after + tap + 8 * v)) * taps[tap];
            if (made - k >= 32) {
                memcpy(output + start + k, sums, sizeof sums);
            } else {
                memcpy(output + start + k, sums, 4 * (made - k));
            }
        }
    }
}

/// Turns rows of an 8 × 8 matrix into columns.
PART void transpose(float8 m[8]) {
    float8 n[8];
    for (int i = 0; i < 8; i += 2) {
        n[i] = __builtin_shufflevector(m[i], m[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        n[i + 1] = __builtin_shufflevector(m[i], m[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int j = 0; j < 2; j++) {
            m[i + 2 * j] = __builtin_shufflevector(n[i + j], n[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            m[i + 2 * j + 1] = __builtin_shufflevector(n[i + j], n[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; i++) {
        n[i] = __builtin_shufflevector(m[i], m[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        n[i + 4] = __builtin_shufflevector(m[i], m[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    memcpy(m, n, sizeof n);
}

/// Eight inner products of `vectors` times 8 values, each the sum of its lanes in order.
PART void inner_products(float8 *results, const float *const samples[8], const float *const taps[8], size_t vectors) {
    float8 lanes[8];
#pragma clang loop unroll(full)
    for (int place = 0; place < 8; place++) {
        const float *a = samples[place], *b = taps[place];
        float8 first = LOAD(a) * LOAD(b), second = vectors > 1 ? LOAD(a + 8) * LOAD(b + 8) : 0;
        for (size_t k = 2; k < vectors; k += 2) {
            first += LOAD(a + 8 * k) * LOAD(b + 8 * k);
            if (k + 1 < vectors) second += LOAD(a + 8 * k + 8) * LOAD(b + 8 * k + 8);
        }
        lanes[place] = first + second;
    }
    transpose(lanes);
    *results = lanes[0];
    for (int lane = 1; lane < 8; lane++) *results += lanes[lane];
}

enum table { one_phase, exact_phases, interpolated_phases };

/// The next `count` outputs, at most 8. `vectors` and `table` are those of `phases`, for the compiler.
PART void resample_group(
    float8 *results, size_t count, const float **input, size_t *phase, const earshot_phases *phases, size_t vectors,
    enum table table) {
    const float *samples[8], *taps[8];
    float8 fractions = 0;
    size_t whole = phases->decimation / phases->interpolation;
    size_t part = table == one_phase ? 0 : phases->decimation % phases->interpolation;
    for (size_t place = 0; place < count; place++) {
        size_t row = table == one_phase ? 0 : *phase;
        if (table == interpolated_phases) {
            float position = (float)row / (float)phases->interpolation * (float)phases->phase_count;
            row = (size_t)position < phases->phase_count ? (size_t)position : phases->phase_count - 1;
            fractions[place] = position - (float)row;
        }
        samples[place] = *input;
        taps[place] = phases->taps + 8 * vectors * row;
        *input += whole;
        *phase += part;
        if (table == one_phase || *phase < phases->interpolation) continue;
        *phase -= phases->interpolation;
        *input += 1;
    }
    for (size_t place = count; place < 8; place++) {
        samples[place] = samples[0];
        taps[place] = taps[0];
    }
    inner_products(results, samples, taps, vectors);
    if (table == interpolated_phases) {
        float8 next;
        for (int place = 0; place < 8; place++) taps[place] += 8 * vectors;
        inner_products(&next, samples, taps, vectors);
        *results += (next - *results) * fractions;
    }
}

PART void resample(
    float *output, size_t count, const float *input, size_t phase, const earshot_phases *given, size_t vectors,
    enum table table) {
    earshot_phases phases = *given;
    float8 results;
    for (; count >= 8; count -= 8, output += 8) {
        resample_group(&results, 8, &input, &phase, &phases, vectors, table);
        STORE(output, results);
    }
    if (count == 0) return;
    resample_group(&results, count, &input, &phase, &phases, vectors, table);
    memcpy(output, &results, 4 * count);
}

WIDE void earshot_resample(
    float *output, size_t count, const float *input, size_t phase, const earshot_phases *phases) {
    // The usual ones, so that the compiler unrolls their loops.
    if (phases->phase_count < phases->interpolation)
        return resample(output, count, input, phase, phases, phases->vectors, interpolated_phases);
    if (phases->interpolation == 1 && phases->vectors == 5)
        return resample(output, count, input, phase, phases, 5, one_phase);
    if (phases->vectors == 3) return resample(output, count, input, phase, phases, 3, exact_phases);
    resample(output, count, input, phase, phases, phases->vectors, exact_phases);
}

WIDE void earshot_slide_maximum(float *maxima, const float *row, float *scratch, size_t count) {
    // Four wide, then thirteen.
    for (size_t k = 0; k < count + 9; k++) {
        float low = LARGER(row[k], row[k + 1]);
        float high = LARGER(row[k + 2], row[k + 3]);
        scratch[k] = LARGER(low, high);
    }
    for (size_t k = 0; k < count; k++) {
        float low = LARGER(scratch[k], scratch[k + 4]);
        float high = LARGER(scratch[k + 8], scratch[k + 9]);
        maxima[k] = LARGER(low, high);
    }
}

WIDE size_t earshot_find_maxima(
    uint16_t *places, const float *row, const float *rows, size_t stride, size_t count, float least) {
    size_t found = 0;
    for (size_t start = 0; start < count; start += 8) {
        float8 value = LOAD(row + start);
        float8 largest = value;
        for (size_t other = 0; other < earshot_compared_rows; other++) {
            float8 next = LOAD(rows + other * stride + start);
            largest = next > largest ? next : largest;
        }
        flag8 flags = __builtin_convertvector((value == largest) & (value > least), flag8);
        uint8_t bits;
        memcpy(&bits, &flags, 1);
        for (; bits; bits &= bits - 1) {
            size_t place = start + (size_t)__builtin_ctz(bits);
            if (place < count) places[found++] = (uint16_t)place;
        }
    }
    return found;
}

/// log2 of positive, finite, normal values; see `BinaryLogarithm`.
#define LOG2(value, result)                                                                \
    do {                                                                                   \
        whole8 bits = (whole8)(value);                                                     \
        float8 x = (float8)((bits & 0x007FFFFF) | 0x3F800000) - 1;                         \
        float8 polynomial = x * 0.04514881f - 0.19357504f;                                 \
        polynomial = polynomial * x + 0.41560542f;                                         \
        polynomial = polynomial * x - 0.7090962f;                                          \
        polynomial = polynomial * x + 1.44191701f;                                         \
        result = __builtin_convertvector((bits >> 23) - 127, float8) + x * polynomial;     \
    } while (0)

/// Folds the halves of two vectors: of each eight, four or two lanes the first with the second half.
#define FOLD8(a, b, op)                                         \
    (__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) op \
     __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15))
#define FOLD4(a, b, op)                                         \
    (__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) op \
     __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15))
#define FOLD2(a, b, op)                                         \
    (__builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) op \
     __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15))
/// Folds each of eight vectors to one lane.
#define FOLD(v, op)                                                          \
    FOLD2(FOLD4(FOLD8(v[0], v[4], op), FOLD8(v[2], v[6], op), op),           \
          FOLD4(FOLD8(v[1], v[5], op), FOLD8(v[3], v[7], op), op), op)

WIDE void earshot_sum_logarithms(int32_t *sums, const float *values, size_t group_count) {
    // The exponents are summed, and one logarithm is taken of the product of 16 mantissas, which is below 2^16.
    for (size_t start = 0; start < group_count; start += 8) {
        whole8 exponents[8];
        float8 mantissas[8], logarithms;
#pragma clang loop unroll(full)
        for (size_t group = 0; group < 8; group++) {
            const float *place = values + 16 * (start + group < group_count ? start + group : group_count - 1);
            whole8 low = (whole8)LOAD(place);
            whole8 high = (whole8)LOAD(place + 8);
            exponents[group] = (low >> 23) + (high >> 23);
            mantissas[group] = (float8)((low & 0x007FFFFF) | 0x3F800000) * (float8)((high & 0x007FFFFF) | 0x3F800000);
        }
        float8 products = FOLD(mantissas, *);
        LOG2(products, logarithms);
        whole8 results = (FOLD(exponents, +) - 16 * 127) * 1024 + __builtin_convertvector(logarithms * 1024, whole8);
        memcpy(sums + start, &results, 4 * (group_count - start < 8 ? group_count - start : 8));
    }
}

WIDE int32_t earshot_count_higher(
    const float *levels, const float *places, size_t count, float level, float lowest, float highest, int32_t most) {
    int32_t higher = 0;
    for (size_t start = 0; start < count && higher < most; start += 64) {
        size_t end = count - start < 64 ? count : start + 64;
        for (size_t k = start; k < end; k++)
            higher += (levels[k] > level) & (places[k] >= lowest) & (places[k] <= highest);
    }
    return higher;
}

/// The cell of a frame; those outside are in the first or after the last.
PART int32_t cell(float frame, const earshot_paired_query *query) {
    float place = frame * query->cells_per_frame;
    return (int32_t)(place < 0 ? 0 : place > (float)query->cells ? (float)query->cells : place);
}

PART int band_of(float octaves, const earshot_paired_query *query) {
    int band = 0;
    for (int edge = 0; edge < earshot_most_bands - 1; edge++) band += octaves >= query->crossovers[edge];
    return band;
}

WIDE size_t earshot_pair_peaks(
    earshot_peak_pair *pairs, size_t room, int32_t *peak, int32_t end, const float *times, const float *octaves,
    float frames_per_time, float first_frame, const earshot_paired_query *query) {
    size_t found = 0;
    int32_t reference = *peak;
    for (; reference < end; reference++) {
        float time = times[reference];
        float octave = octaves[reference];
        float frame = time * frames_per_time + first_frame;
        int lowest = band_of(octave - query->margin, query);
        int highest = band_of(octave + query->margin, query);
        int32_t lows[earshot_most_bands], highs[earshot_most_bands];
        size_t most = 0;
        for (int band = lowest; band <= highest; band++) {
            int32_t low = query->starts[band][cell(frame - query->reach[band], query)];
            int32_t high = query->starts[band][cell(frame + query->reach[band], query) + 1];
            lows[band] = LARGER(low, query->first[band]);
            highs[band] = high < query->end[band] ? high : query->end[band];
            if (highs[band] > lows[band]) most += (size_t)(highs[band] - lows[band]);
        }
        if (most > room - found) break;
        for (int band = lowest; band <= highest; band++) {
            for (int32_t start = lows[band]; start < highs[band]; start += 8) {
                float8 distance = LOAD(query->octaves + start) - octave;
                flag8 flags = __builtin_convertvector(
                    (LARGER(distance, -distance) < LOAD(query->tolerances + start))
                        & (LOAD(query->earliest + start) <= time) & (LOAD(query->latest + start) >= time),
                    flag8);
                uint8_t bits;
                memcpy(&bits, &flags, 1);
                if (highs[band] - start < 8) bits &= (uint8_t)((1u << (highs[band] - start)) - 1);
                for (; bits; bits &= bits - 1)
                    pairs[found++] = (earshot_peak_pair){query->indices[start + __builtin_ctz(bits)], reference};
            }
        }
    }
    *peak = reference;
    return found;
}
