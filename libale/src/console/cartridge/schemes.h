/* The list of bank-switching schemes. */
#ifndef ALE_CARTRIDGE_SCHEMES_H
#define ALE_CARTRIDGE_SCHEMES_H

/* X(name, number), in the order in which an image is tried for them: what only goes by the size comes after what
 * looks for signs.  A name is that of a descriptor, scheme_NAME (scheme.h); a number stands in saved states. */
#define CARTRIDGE_SCHEMES(X)                                                                        \
    X(F8_SWAPPED, 3) X(CV, 17) X(2K, 0) X(F8SC, 4) X(4K, 1) X(E0, 11) X(DPC, 19) X(FASC, 9)         \
    X(F6SC, 6) X(E7, 12) X(F4SC, 8) X(3E, 14) X(3F, 13) X(UA, 15) X(FE, 10) X(F8, 2) X(F6, 5)       \
    X(F4, 7) X(MB, 16) X(MC, 18)

#define SCHEME_NUMBER(name, number) ROM_##name = number,
#define SCHEME_ONE(name, number) +1
typedef enum rom_scheme {
    CARTRIDGE_SCHEMES(SCHEME_NUMBER)
    ROM_SCHEME_COUNT = 0 CARTRIDGE_SCHEMES(SCHEME_ONE),
    ROM_AUTO = -1
} rom_scheme;
#undef SCHEME_NUMBER
#undef SCHEME_ONE

#endif
