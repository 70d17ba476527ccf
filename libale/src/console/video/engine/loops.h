/* The engine's loops that this build has. */
#ifndef ALE_ENGINE_LOOPS_H
#define ALE_ENGINE_LOOPS_H

#include "engine.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ENGINE_X86
extern const engine_loops engine_avx512, engine_avx2;
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(__AARCH64EB__)
#define ENGINE_NEON
extern const engine_loops engine_neon;
#endif
extern const engine_loops engine_plain;

#endif
