/* The screen worked out anew, pixel by pixel: from the objects that cover a pixel, the colour registers as they are
 * when the beam is there, and the rules of priority. */
#ifndef ALE_RECOMPUTE_H
#define ALE_RECOMPUTE_H

#include <string.h>

#include "console/console.h"
#include "console/video/picture.h"

static inline uint8_t recomputed_color(const tia_raster *r, unsigned reg) {
    return (uint8_t)((r->reg[reg] & 0xFE) | r->colour_loss);
}

/* Whether the playfield is all that is switched on. */
static inline bool is_playfield_alone(const tia_raster *r) {
    const uint8_t *reg = r->reg;
    const bool player0 = reg[VDELP0] & 1 ? r->old_grp[0] : reg[GRP0];
    const bool player1 = reg[VDELP1] & 1 ? r->old_grp[1] : reg[GRP1];
    const bool missile0 = (reg[ENAM0] & 2) && !(reg[RESMP0] & 2), missile1 = (reg[ENAM1] & 2) && !(reg[RESMP1] & 2);
    const bool ball = (reg[VDELBL] & 1 ? r->old_enabl : reg[ENABL]) & 2;
    return !(player0 || player1 || missile0 || missile1 || ball);
}

static inline uint8_t recomputed_pixel(const tia_raster *r, uint8_t cover, unsigned x) {
    const bool score = r->reg[CTRLPF] & 2, behind = r->reg[CTRLPF] & 4; /* the players are */
    const bool one = cover & (1 << P0 | 1 << M0), two = cover & (1 << P1 | 1 << M1);
    const bool field = cover & 1 << PF, ball = cover & 1 << BL;
    const unsigned half = x < SCREEN_WIDTH / 2 ? COLUP0 : COLUP1;
    unsigned reg = COLUBK;
    if (behind && (field || ball))
        reg = score && is_playfield_alone(r) ? half : COLUPF;
    else if (one)
        reg = COLUP0;
    else if (two)
        reg = !behind && score && field && half == COLUP0 ? COLUP0 : COLUP1;
    else if (field)
        reg = score ? half : COLUPF;
    else if (ball)
        reg = COLUPF;
    return recomputed_color(r, reg);
}

/* Whether the screen is what its objects say.  Of a frame that its log does not make up as a whole nobody knows the
 * registers any more: then *compared stays as it is. */
static inline bool is_recomputed(console *machine, int *compared) {
    const uint8_t *screen = console_screen(machine), *cover = console_objects(machine);
    const picture *p = machine->picture;
    const frame_log *log = &p->logs.frame[p->logs.latest];
    if (!log->whole) return true;
    ++*compared;
    const raster_target target = picture_target(machine, NULL, NULL, 0);
    tia_raster r = log->start;
    for (uint32_t i = 0; i < log->count; i++) {
        const unsigned reg = access_reg(log->access[i]);
        const uint32_t clock = access_clock(log->access[i]), to = clock + beam_delay(&r, reg, clock);
        while (r.drawn < to && r.drawn < target.end && to >= target.start) {
            const uint32_t at = r.drawn - r.row_base, row = at / LINE_CLOCKS, h = at % LINE_CLOCKS;
            const bool blank = r.hmove_blank;
            beam_follow_to(&r, NULL, 0, r.drawn + 1, &target);
            if (h < HBLANK_CLOCKS) continue;
            const unsigned x = h - HBLANK_CLOCKS;
            const size_t n = row * SCREEN_WIDTH + x;
            if (r.reg[VBLANK] & 2 || (blank && x < 8)) {
                if (screen[n] || cover[n]) return false;
            } else if (screen[n] != recomputed_pixel(&r, cover[n], x)) {
                return false;
            }
        }
        beam_apply(&r, reg, access_value(log->access[i]), clock, target.hmove_blanks);
    }
    return r.drawn >= log->end;
}

#endif
