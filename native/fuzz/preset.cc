// Which preset features.cc fuzzes: the build says.
#include "tokenize/recipe.h"

extern const nabi::Preset kPreset;
const nabi::Preset kPreset = nabi::Preset::PRESET;
