/* What the property table says of images: controllers, switches, display format and window.
 *
 * Only supported images that differ from the defaults are listed.  Most PAL images are not: their format is
 * found by running them, and their window then grows by itself. */
#include <string.h>

#include "rom_image.h"

enum { DEFAULT_YSTART = 34, DEFAULT_HEIGHT = 210 };

/* What is not the default. */
enum {
    LEFT_PADDLES = 1,
    RIGHT_PADDLES = 2,
    BOTH_PADDLES = LEFT_PADDLES | RIGHT_PADDLES,
    SWAP_PORTS = 4,
    SWAP_PADDLES = 8,
    DIFFICULTIES_A = 16,
    NO_HMOVE_BLANKS = 32,
    PAL = 64,
};

static const struct {
    char md5[33];
    uint8_t traits;
    uint8_t ystart; /* 0: the default, as for height */
    uint16_t height;
} known[] = {
    {"acb7750b4d0c4bd34969802a7deb2990", .traits = DIFFICULTIES_A},              /* Amidar */
    {"ccbd36746ed4525821a8083b0d6d2c2c", .traits = NO_HMOVE_BLANKS},             /* Asteroids */
    {"8556b42aa05f94bc29ff39c39b11bff4", .traits = LEFT_PADDLES},                /* Backgammon */
    {"41f252a66c6301f1e8ab3612c19bc5d4", .traits = NO_HMOVE_BLANKS},             /* Battle Zone */
    {"0a981c03204ac2b278ba392674682560", .traits = LEFT_PADDLES},                /* Blackjack */
    {"f34f08e5eb96e500e851a80be3277a56", .traits = LEFT_PADDLES},                /* Breakout */
    {"028024fb8e5e5f18ea586652f9799c96", .ystart = 26, .height = 214},           /* Carnival */
    {"b816296311019ab69a21cb9e9e235d12", .traits = LEFT_PADDLES},                /* Casino */
    {"0ef64cdbecccb7049752a3de0b7ade14", .ystart = 39, .height = 256},           /* Combat */
    {"106855474c69d08c8ffa308d47337269", .traits = NO_HMOVE_BLANKS},             /* Dark Chambers */
    {"718ae62c70af4e5fd8e932fee216948a", .height = 230},                         /* Journey Escape */
    {"5428cdfada281c569c74c7308c7f2c26", .traits = LEFT_PADDLES},                /* Kaboom! */
    {"ed2218b3075d15eaa34e3356025ccca3", .traits = PAL},                         /* Maze Craze */
    {"87e79cd41ce136fd4f72cc6e2c161bee", .traits = NO_HMOVE_BLANKS},             /* Ms. Pac-Man */
    {"60e0ea3cbe0913d39803477945e9e5ec", .traits = BOTH_PADDLES | SWAP_PADDLES}, /* Pong */
    {"4799a40b6e889370b7ee55c17ba65141", .ystart = 26, .height = 220},           /* Pooyan */
    {"484b0076816a104875e00467d431c2d2", .ystart = 40},                          /* Q*bert */
    {"9e359ff090e6c3bee3430d2f7c8063e4", .traits = BOTH_PADDLES},                /* Quartet */
    {"4d7517ae69f95cfbc053be01312b7dba", .traits = SWAP_PORTS},                  /* Surround */
    {"a499d720e7ee35c62424de882a3351b6", .ystart = 30},                          /* Up 'n Down */
    {"cbe5a166550a8129a5e6d374901dffad", .traits = BOTH_PADDLES},                /* Warlords */
    {"7e8aa18bc9502eb57daaf5e7c1e94da7", .traits = SWAP_PORTS},                  /* Wizard of Wor */
};

rom_properties rom_properties_find(const char *md5) {
    unsigned traits = 0;
    int ystart = DEFAULT_YSTART, height = DEFAULT_HEIGHT;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(md5, known[i].md5) != 0) continue;
        traits = known[i].traits;
        if (known[i].ystart) ystart = known[i].ystart;
        if (known[i].height) height = known[i].height;
    }
    return (rom_properties){
        .paddles = {traits & LEFT_PADDLES, traits & RIGHT_PADDLES},
        .swap_ports = traits & SWAP_PORTS,
        .swap_paddles = traits & SWAP_PADDLES,
        .difficulty_a = {traits & DIFFICULTIES_A, traits & DIFFICULTIES_A},
        .hmove_blanks = !(traits & NO_HMOVE_BLANKS),
        .format = traits & PAL ? FORMAT_PAL : FORMAT_AUTO,
        .ystart = ystart,
        .height = height,
    };
}
