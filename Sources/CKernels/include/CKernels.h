#pragma once

#include <stddef.h>
#include <stdint.h>

// The inner loops of the front end and of the search, in vectors of eight numbers.
//
// On Linux, processors of level x86-64-v3 (AVX2) run wider instructions than others. Both give the same bits, because
// no product is fused with a sum. Where an order of additions is stated, results depend on it.

/// Sums over the sums and differences of two channels, and over their squares: eight lanes, then the lanes in order.
typedef struct {
    float sum;
    float sum_energy;
    float difference;
    float difference_energy;
} earshot_mix_sums;

/// Writes the sum of two channels, or left − right, times `scale` to `mixed`.
///
/// Takes whole vectors, so zeros must fill the last one. 16-bit samples are summed as whole numbers.
earshot_mix_sums earshot_mix_planes(
    float *mixed, const float *left, const float *right, size_t count, _Bool difference, float scale);
earshot_mix_sums earshot_mix_floats(float *mixed, const float *frames, size_t count, _Bool difference, float scale);
earshot_mix_sums earshot_mix_int16s(float *mixed, const int16_t *frames, size_t count, _Bool difference, float scale);

/// Multiplies two frames of `count` samples, a multiple of 8, by a window.
void earshot_window_pair(
    float *first_product, float *second_product, const float *first, const float *second, const float *window,
    size_t count);

/// Writes |X[k]|² + `floor` of two real signals to places `low` ..< `high`, which are multiples of 8.
///
/// `real` and `imaginary` are the spectrum of first + i·second of `size` samples, with bin 0 repeated at the end.
void earshot_pair_powers(
    float *first, float *second, const float *real, const float *imaginary, size_t size, size_t low, size_t high,
    float floor);

enum { earshot_most_half_band_taps = 32 };

/// Halves a rate: output m is half of sample 2m + 2·tap_count, plus tap j times the samples 2j + 1 before and after it.
///
/// Products are added by growing j.
void earshot_halve(float *output, size_t count, const float *input, const float *taps, size_t tap_count);

/// The taps of a rational change of rate, phase after phase.
typedef struct {
    const float *taps;
    /// The number of taps in a phase, divided by 8.
    size_t vectors;
    size_t interpolation;
    size_t decimation;
    /// The phases of the table; fewer than `interpolation` if it is interpolated, and then there is one more.
    size_t phase_count;
} earshot_phases;

/// Changes a rate: output n is the inner product of samples and taps of a phase.
///
/// Output 0 takes the samples from `input` on and the taps of `phase`. Each inner product is the sum of eight lanes in
/// order. A lane is the sum of every other vector, then that of the others.
void earshot_resample(float *output, size_t count, const float *input, size_t phase, const earshot_phases *phases);

/// Writes the largest of `row[k] ... row[k + 12]` to `maxima[k]` for `count` places.
///
/// Reads 12 values more. `scratch` has room for `count` + 16.
void earshot_slide_maximum(float *maxima, const float *row, float *scratch, size_t count);

enum { earshot_compared_rows = 5 };

/// Writes the places k < `count` at which `row[k]` is above `least` and none of five rows is larger; returns how many.
///
/// Rows begin `stride` apart. Reads whole vectors.
size_t earshot_find_maxima(
    uint16_t *places, const float *row, const float *rows, size_t stride, size_t count, float least);

/// Sums log2 of each 16 values, in whole numbers of 1/1024 that are rounded towards 0 after the whole exponents.
///
/// Values are positive and normal.
void earshot_sum_logarithms(int32_t *sums, const float *values, size_t group_count);

/// How many of `count` candidates have a higher level and a place within `lowest` ... `highest`.
///
/// Stops counting some time after `most`.
int32_t earshot_count_higher(
    const float *levels, const float *places, size_t count, float level, float lowest, float highest, int32_t most);

enum { earshot_most_bands = 4 };

/// Peaks of a query, band by band, and where their partners in a reference may be. Arrays have eight values more.
typedef struct {
    /// What each peak is called in a pair.
    const int32_t *indices;
    /// The expected frequency of a partner, in octaves, and less than how far from it one may be.
    const float *octaves;
    const float *tolerances;
    /// The first and the last time of a partner.
    const float *earliest;
    const float *latest;
    /// For each band, the places of the first peak in each cell of time, and two more: behind the last cell, and its end.
    const int32_t *starts[earshot_most_bands];
    int32_t cells;
    float cells_per_frame;
    /// For each band, the peaks that may be paired, and the largest distance of a partner in frames of the query.
    int32_t first[earshot_most_bands];
    int32_t end[earshot_most_bands];
    float reach[earshot_most_bands];
    /// The octaves at which the upper bands begin, and how far outside its band a peak may have a partner.
    float crossovers[earshot_most_bands - 1];
    float margin;
} earshot_paired_query;

typedef struct {
    int32_t query;
    int32_t reference;
} earshot_peak_pair;

/// Lists the pairs of a query and of the reference's peaks from `*peak` up to `end`, in order of the reference's peaks.
///
/// The frame of the query at a time is time · `frames_per_time` + `first_frame`. Stops at a peak that may have more pairs
/// than there is room for, and leaves its place in `*peak`. Returns how many pairs there are.
size_t earshot_pair_peaks(
    earshot_peak_pair *pairs, size_t room, int32_t *peak, int32_t end, const float *times, const float *octaves,
    float frames_per_time, float first_frame, const earshot_paired_query *query);
