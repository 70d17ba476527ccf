/* MD5 (RFC 1321), which identifies ROM images. */
#ifndef ALE_MD5_H
#define ALE_MD5_H

#include <stddef.h>

/* The digest of `size` bytes as 32 lower-case hexadecimal digits and a zero. */
void md5_hex(const void *bytes, size_t size, char hex[33]);

#endif
