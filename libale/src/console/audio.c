/* The TIA's sound: two channels, each a divider that clocks a pair of shift registers.
 *
 * A channel's output bit is the top bit of its four-bit register P4; what a clock shifts into P4, and whether
 * the five-bit register P5 moves first and gates that, is chosen by AUDC.
 */
#include "audio.h"

#include <string.h>

enum { CHANNELS = 2, LONGEST_PERIOD = 32 };

void audio_init(audio_state *audio) {
    memset(audio, 0, sizeof *audio);
    for (int channel = 0; channel < CHANNELS; channel++) audio->poly4[channel] = audio->poly5[channel] = 1;
}

/* Shift registers grow at bit 0; a register that holds 0 would hold it for ever, hence the restarts at 1. */
static unsigned shift4(unsigned p4, unsigned bit) { return (p4 << 1 | bit) & 15; }
static unsigned poly4(unsigned p4) { return p4 ? shift4(p4, (p4 >> 3 ^ p4 >> 2) & 1) : 1; }
static unsigned poly5(unsigned p5) { return p5 ? (p5 << 1 | ((p5 >> 4 ^ p5 >> 2) & 1)) & 31 : 1; }
static unsigned toggle(unsigned p4) { return shift4(p4, ~p4 & 1); }

static unsigned div6(unsigned p4) {
    unsigned low = p4 & 7;
    return (~(p4 << 1) & 14) | (low >= 1 && low <= 3);
}

/* One clock of a channel. */
static void clock_channel(unsigned control, unsigned *p4, unsigned *p5) {
    unsigned carry;
    switch (control) { /* the modes in which P5 stands still, and the two that use its old top bit */
    case 0: case 11: *p4 = shift4(*p4, 1); return;
    case 1: *p4 = poly4(*p4); return;
    case 4: case 5: *p4 = toggle(*p4); return;
    case 12: case 13: *p4 = div6(*p4); return;
    case 8: /* one nine-bit register over both */
        if (*p5 == 0 && *p4 == 0) {
            *p5 = 1;
            carry = 0;
        } else {
            carry = *p5 >> 4;
            *p5 = (*p5 << 1 | ((*p4 >> 3 ^ carry) & 1)) & 31;
        }
        *p4 = shift4(*p4, carry);
        return;
    case 9:
        carry = *p5 >> 4;
        *p5 = poly5(*p5);
        *p4 = shift4(*p4, carry);
        return;
    default: break;
    }
    *p5 = poly5(*p5);
    bool gate31 = (*p5 & 15) == 8, gate5 = *p5 >> 4;
    switch (control) {
    case 2: if (gate31) *p4 = poly4(*p4); break;
    case 3: if (gate5) *p4 = poly4(*p4); break;
    case 6: if (gate31) *p4 = toggle(*p4); break;
    case 7: if (gate5) *p4 = toggle(*p4); break;
    case 10: if (gate31) *p4 = shift4(*p4, *p5 >> 4); break;
    case 14: if (gate31) *p4 = div6(*p4); break;
    case 15: if (gate5) *p4 = div6(*p4); break;
    default: break;
    }
}

/* Add a channel's 512 samples.  The output is constant between two clocks, so it goes run by run. */
static void add_channel(audio_state *audio, int channel, uint8_t samples[AUDIO_SAMPLES]) {
    unsigned control = audio->registers[channel] & 15;
    unsigned period = (audio->registers[2 + channel] & 31) + 1u;
    uint8_t volume = (uint8_t)(AUDIO_STEP * (audio->registers[4 + channel] & 15));
    unsigned p4 = audio->poly4[channel] & 15, p5 = audio->poly5[channel] & 31;

    /* The divider counts up to the period; with one shortened meanwhile it is due at the next sample. */
    unsigned divider = audio->divider[channel];
    unsigned due = divider + 1 < period ? period - divider - 1 : 0;
    unsigned at = 0;
    while (at < AUDIO_SAMPLES) {
        unsigned end = due < AUDIO_SAMPLES ? due : AUDIO_SAMPLES;
        if (volume && p4 & 8)
            for (; at < end; at++) samples[at] = (uint8_t)(samples[at] + volume);
        at = end;
        if (at == AUDIO_SAMPLES) break;
        clock_channel(control, &p4, &p5);
        due += period;
    }
    audio->divider[channel] = (uint8_t)(period - 1 - (due - AUDIO_SAMPLES));
    audio->poly4[channel] = (uint8_t)p4;
    audio->poly5[channel] = (uint8_t)p5;
}

void audio_generate(audio_state *audio, uint8_t samples[AUDIO_SAMPLES]) {
    memset(samples, AUDIO_SILENCE, AUDIO_SAMPLES);
    for (int channel = 0; channel < CHANNELS; channel++) add_channel(audio, channel, samples);
}

bool audio_made(const uint8_t samples[AUDIO_SAMPLES]) {
    for (int i = 0; i < AUDIO_SAMPLES; i++)
        if (samples[i] < AUDIO_SILENCE || samples[i] > AUDIO_LOUDEST || samples[i] % AUDIO_STEP) return false;
    return true;
}

#define AUDIO(member, ...) INVARIANTS("audio." #member, audio_state, member, __VA_ARGS__)
const invariant audio_invariants[] = {
    AUDIO(registers, ANY_VALUE),
    AUDIO(divider, IN_RANGE(0, LONGEST_PERIOD - 1)),
    AUDIO(poly4, IN_RANGE(0, 15)),
    AUDIO(poly5, IN_RANGE(0, 31)),
    {0},
};
