/* Which vector instructions an x86-64 processor has, and the system lets programs use.
 *
 * __builtin_cpu_supports would be shorter, but asks a runtime library of the compiler's, and Zig's knows no processor:
 * its answer is no. */
#ifndef ALE_PROCESSOR_H
#define ALE_PROCESSOR_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

static inline bool processor_has_ssse3(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3);
}

/* The system must save the upper halves of the registers, too: bits 1 and 2 of XCR0. */
static inline bool processor_has_avx2(void) {
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    return (saved & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}
#else
static inline bool processor_has_ssse3(void) { return false; }
#endif

#endif
