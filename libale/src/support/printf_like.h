/* Functions whose arguments compilers check as those of printf: C's own printf, which GCC must be told on
 * Windows. */
#ifndef ALE_PRINTF_LIKE_H
#define ALE_PRINTF_LIKE_H

#if defined(_WIN32) && defined(__GNUC__) && !defined(__clang__)
#define PRINTF_LIKE(format_at, first_at) __attribute__((format(gnu_printf, format_at, first_at)))
#elif defined(__GNUC__)
#define PRINTF_LIKE(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define PRINTF_LIKE(format_at, first_at)
#endif

#endif
