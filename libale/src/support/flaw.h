/* States that come as bytes are checked before they are used, each by the file that owns its struct: by a
 * function that returns the name of the first field whose value the library never writes; NULL: there is none.
 */
#ifndef ALE_FLAW_H
#define ALE_FLAW_H

#define EXPECT(condition, field)         \
    do {                                 \
        if (!(condition)) return field;  \
    } while (0)

#endif
