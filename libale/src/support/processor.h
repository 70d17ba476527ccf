/* Tests for vector instructions of x86-64 that both the processor and the system support.
 *
 * __builtin_cpu_supports would be shorter, but it relies on the compiler's runtime library, and Zig's always
 * says no. */
#ifndef ALE_PROCESSOR_H
#define ALE_PROCESSOR_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

static inline bool processor_has_ssse3(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3);
}

/* Whether the system saves these parts of the wide registers: bits of XCR0. */
static inline bool system_saves(unsigned parts) {
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    return (saved & parts) == parts;
}

static inline bool processor_has_avx2(void) {
    unsigned a, b, c, d;
    return system_saves(0x06) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

/* With the parts that permute bytes, in registers of 64 of them. */
static inline bool processor_has_avx512_vbmi(void) {
    unsigned a, b, c, d;
    return system_saves(0xE6) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512F) && (b & bit_AVX512BW) &&
           (c & bit_AVX512VBMI);
}

/* With the instructions for bits that came together with it. */
static inline bool processor_has_avx2_bmi2(void) {
    const unsigned features = bit_AVX2 | bit_BMI | bit_BMI2;
    unsigned a, b, c, d;
    return system_saves(0x06) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & features) == features;
}

/* Registers of 64 bytes with masks for bytes. */
static inline bool processor_has_avx512_bmi2(void) {
    const unsigned features = bit_AVX512F | bit_AVX512BW | bit_AVX512VL | bit_AVX512DQ | bit_AVX2 | bit_BMI | bit_BMI2;
    unsigned a, b, c, d;
    return system_saves(0xE6) && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & features) == features;
}
#else
static inline bool processor_has_ssse3(void) { return false; }
static inline bool processor_has_avx512_vbmi(void) { return false; }
#endif

#endif
