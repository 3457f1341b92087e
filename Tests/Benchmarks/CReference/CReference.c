#include "CReference.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>

struct reference_spectra {
    int size;
    float *window;
    float *frame;
    fftwf_complex *spectrum;
    float *power;
    fftwf_plan plan;
};

reference_spectra *reference_spectra_make(int size) {
    reference_spectra *spectra = malloc(sizeof *spectra);
    spectra->size = size;
    spectra->window = fftwf_alloc_real(size);
    spectra->frame = fftwf_alloc_real(size);
    spectra->spectrum = fftwf_alloc_complex(size / 2 + 1);
    spectra->power = fftwf_alloc_real(size / 2 + 1);
    spectra->plan = fftwf_plan_dft_r2c_1d(size, spectra->frame, spectra->spectrum, FFTW_ESTIMATE);
    for (int i = 0; i < size; i++) spectra->window[i] = (float)(0.5 - 0.5 * cos(2 * M_PI * i / size));
    return spectra;
}

void reference_spectra_free(reference_spectra *spectra) {
    fftwf_destroy_plan(spectra->plan);
    fftwf_free(spectra->window);
    fftwf_free(spectra->frame);
    fftwf_free(spectra->spectrum);
    fftwf_free(spectra->power);
    free(spectra);
}

double reference_spectra_run(reference_spectra *spectra, const float *samples, size_t count, size_t hop) {
    double sum = 0;
    for (size_t start = 0; start + spectra->size <= count; start += hop) {
        for (int i = 0; i < spectra->size; i++) spectra->frame[i] = samples[start + i] * spectra->window[i];
        fftwf_execute(spectra->plan);
        for (int k = 0; k <= spectra->size / 2; k++)
            spectra->power[k] = spectra->spectrum[k][0] * spectra->spectrum[k][0] +
                                spectra->spectrum[k][1] * spectra->spectrum[k][1];
        sum += spectra->power[start / hop % (spectra->size / 2)];
    }
    return sum;
}

uint64_t reference_dependent_reads(const uint64_t *words, size_t count, size_t reads) {
    uint64_t place = 1;
    for (size_t i = 0; i < reads; i++) place = (words[place & (count - 1)] + i) * 0x9E3779B97F4A7C15u >> 20;
    return place;
}

uint64_t reference_independent_reads(const uint64_t *words, size_t count, size_t reads) {
    uint64_t sum = 0;
    for (size_t i = 0; i < reads; i++) sum += words[(i * 0x9E3779B97F4A7C15u >> 20) & (count - 1)];
    return sum;
}
