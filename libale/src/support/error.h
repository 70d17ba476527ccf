/* The text behind ale_last_error. */
#ifndef ALE_ERROR_H
#define ALE_ERROR_H

#include <ale/ale.h>

#include "printf_like.h"

/* Store the message for this thread and return `status`. */
PRINTF_LIKE(2, 3) ale_status fail(ale_status status, const char *format, ...);
const char *last_error(void);

#endif
