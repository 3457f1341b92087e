#pragma once
#include <speex/speex_preprocess.h>
