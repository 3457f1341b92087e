#pragma once

#include <stddef.h>
#include <stdint.h>

// What a careful C programmer would write first, as a yardstick within one run. For benchmarks only.

/// Power spectra frame by frame: window, FFTW's real transform, squared magnitudes.
typedef struct reference_spectra reference_spectra;

/// Plans transforms of `size` samples, under a periodic Hann window; not safe beside another planner.
reference_spectra *reference_spectra_make(int size);
void reference_spectra_free(reference_spectra *spectra);

/// Transforms every whole frame of `samples`, `hop` samples apart, and returns the sum of all powers.
double reference_spectra_run(reference_spectra *spectra, const float *samples, size_t count, size_t hop);

/// Makes `reads` random reads of the `count` words (a power of 2), each place known only from the word before.
uint64_t reference_dependent_reads(const uint64_t *words, size_t count, size_t reads);

/// Makes `reads` random reads of the `count` words (a power of 2) at places that do not depend on what was read.
uint64_t reference_independent_reads(const uint64_t *words, size_t count, size_t reads);
