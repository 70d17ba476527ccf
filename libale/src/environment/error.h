/* The text behind ale_last_error. */
#ifndef ALE_ERROR_H
#define ALE_ERROR_H

#include <ale/ale.h>

/* Note what is wrong, for this thread, and return `status`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
ale_status fail(ale_status status, const char *format, ...);
const char *last_error(void);

#endif
