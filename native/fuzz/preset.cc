// The preset that features.cc fuzzes, set by the build.
#include "tokenize/recipe.h"

extern const nabi::Preset kPreset;
const nabi::Preset kPreset = nabi::Preset::PRESET;
