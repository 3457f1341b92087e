#pragma once
#include <fftw3.h>

// Swift cannot import an array of unknown length such as fftwf_version.
static inline const char *earshot_fftwf_version(void) { return fftwf_version; }
