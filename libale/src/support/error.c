/* The message is thread-local, so threads never see each other's errors. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[512];

ale_status fail(ale_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

const char *last_error(void) { return message; }
