/* Functions of the innermost loops that are always inlined, because compilers would keep some of them apart for their
 * size.  docs/performance.md has measurements. */
#ifndef ALE_ALWAYS_INLINE_H
#define ALE_ALWAYS_INLINE_H

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

#endif
