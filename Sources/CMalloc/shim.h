#pragma once
// Not a part of the module Glibc.
#include <malloc.h>
