/* Functions of the innermost loops that are put where they are called, whatever the compiler thinks of their size.
 * docs/performance.md says what it brings. */
#ifndef ALE_ALWAYS_INLINE_H
#define ALE_ALWAYS_INLINE_H

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

#endif
