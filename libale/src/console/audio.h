/* The TIA's two sound channels, as 512 samples a step. */
#ifndef ALE_AUDIO_H
#define ALE_AUDIO_H

#include <stdbool.h>
#include <stdint.h>

#include "../support/invariants.h"

enum { AUDIO_SAMPLES = 512, AUDIO_SILENCE = 128, AUDIO_STEP = 4, AUDIO_LOUDEST = AUDIO_SILENCE + 2 * 15 * AUDIO_STEP };

typedef struct audio_state {
    uint8_t registers[6]; /* AUDC0 AUDC1 AUDF0 AUDF1 AUDV0 AUDV1 as last written, never cleared by a reset */
    uint8_t divider[2];
    uint8_t poly4[2], poly5[2];
} audio_state;

void audio_init(audio_state *audio);
/* Produce the next 512 samples (128 is silence) with the registers now in force. */
void audio_generate(audio_state *audio, uint8_t samples[AUDIO_SAMPLES]);

/* Whether these may be such samples. */
bool audio_made(const uint8_t samples[AUDIO_SAMPLES]);

extern const invariant audio_invariants[];

#endif
