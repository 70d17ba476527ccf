/* Snapshots of the picture, and copies from console to console. */
#include "picture_parts.h"

static size_t saved_log_size(const console *machine, uint32_t count, bool whole, bool covered) {
    const size_t pixels = whole ? 0 : (covered ? 2u : 1u) * picture_buffer_size(machine->picture);
    return sizeof(saved_log) + count * sizeof(tia_access) + pixels;
}

size_t picture_saved_size(const console *machine) {
    const picture *p = machine->picture;
    size_t size = sizeof(saved_picture);
    for (unsigned back = 0; back < 2; back++) {
        const frame_log *log = &p->logs.frame[log_back(p, back)];
        const bool whole = log->whole && !is_short(machine, log); /* once flushed */
        size += saved_log_size(machine, whole ? log->count : 0, whole, machine->tells_objects);
    }
    return size;
}

size_t picture_saved_limit(const console *machine) {
    return sizeof(saved_picture) + 2 * saved_log_size(machine, LOG_CAPACITY, false, machine->tells_objects);
}

static uint8_t *put(uint8_t *to, const void *from, size_t size) {
    memcpy(to, from, size);
    return to + size;
}

static const uint8_t *get(void *to, const uint8_t *from, size_t size) {
    memcpy(to, from, size);
    return from + size;
}

void picture_save(const console *machine, uint8_t *to) {
    picture *p = machine->picture;
    const size_t size = picture_buffer_size(p);
    saved_picture head = {.buffer = p->buffers.latest};
    for (int i = 0; i < CURSORS; i++) {
        head.back[i] = p->collisions.cursor[i].log != p->logs.latest;
        head.cursor[i] = p->collisions.cursor[i];
        head.cursor[i].log = 0; /* `back` says where */
    }
    to = put(to, &head, sizeof head);
    for (unsigned back = 0; back < 2; back++) {
        const frame_log *log = &p->logs.frame[log_back(p, back)];
        static const tia_raster nothing;
        const saved_log record = {.start = log->whole ? log->start : nothing,
                                  .count = log->count,
                                  .whole = log->whole,
                                  .covered = !log->whole && machine->tells_objects};
        to = put(to, &record, sizeof record);
        to = put(to, log->access, log->count * sizeof(tia_access));
        if (!log->whole) to = put(to, picture_pixels(p, p->buffers.latest ^ back), size);
        if (record.covered) to = put(to, picture_cover(machine, p->buffers.latest ^ back), size);
    }
}

#define PICTURE(member, ...) INVARIANT("picture." #member, saved_picture, member, __VA_ARGS__)
#define PICTURE_EACH(member, ...) INVARIANTS("picture." #member, saved_picture, member, __VA_ARGS__)
const invariant picture_invariants[] = {
    PICTURE(buffer, A_FLAG),
    PICTURE_EACH(back, A_FLAG),
    PICTURE_EACH(reserved, ONLY_ZERO),
    {0},
};

#define CURSOR(member, ...) INVARIANT("cursor." #member, collision_cursor, member, __VA_ARGS__)
const invariant cursor_invariants[] = {
    CURSOR(index, IN_RANGE(0, LOG_CAPACITY)),
    CURSOR(pairs, IN_RANGE(0, ALL_PAIRS)),
    CURSOR(log, ONLY_ZERO),
    CURSOR(reserved, ONLY_ZERO),
    {0},
};

#define LOG(member, ...) INVARIANT("log." #member, saved_log, member, __VA_ARGS__)
const invariant log_invariants[] = {
    LOG(count, IN_RANGE(0, LOG_CAPACITY)),
    LOG(whole, A_FLAG),
    LOG(covered, A_FLAG),
    INVARIANTS("log.reserved", saved_log, reserved, ONLY_ZERO),
    {0},
};

/* Times never go back, from the cycle `from` on. */
static const char *accesses_invalid_field(const saved_log *log, const uint8_t *accesses, uint32_t from,
                                          uint32_t until) {
    for (uint32_t i = 0; i < log->count; i++) {
        tia_access access;
        memcpy(&access, accesses + i * sizeof access, sizeof access);
        const uint32_t time = access >> 16, reg = access >> 8 & 0xFF;
        EXPECT(reg <= TIA_READ, "log.access (register)");
        EXPECT(reg < TIA_READ || access_value(access) == 0, "log.access (value)");
        EXPECT(time >= from && time <= until, "log.access (time)");
        from = time;
    }
    return NULL;
}

/* A picture that is saved as its log alone must fill the window: if the log ended earlier, the rest would show pixels
 * that are not part of the state.  The latest log must lead to the machine's `now`. */
static const char *whole_invalid_field(const console *machine, const saved_log *log, const uint8_t *accesses,
                              const tia_raster *now) {
    const raster_target target = target_of(machine, NULL, NULL, 0);
    tia_raster raster = log->start;
    EXPECT_NONE(beam_invalid_field(&raster, &target));
    EXPECT(raster.row_base == target.start && raster.drawn == target.start, "log.start");
    beam_follow(&raster, (const tia_access *)(const void *)accesses, log->count, &target);
    EXPECT(raster.drawn == target.end, "log.whole");
    EXPECT(!now || memcmp(&raster, now, sizeof raster) == 0, "tia.now");
    return NULL;
}

static const char *log_invalid_field(const console *machine, const machine_state *s, const saved_log *log,
                            const uint8_t *accesses, bool latest) {
    const uint32_t last = LATEST_ACCESS - 1; /* after later ones the log is empty */
    const uint32_t from = latest ? s->tia.phase : 0, until = latest && s->cpu.time < last ? s->cpu.time : last;
    if (log->whole) {
        EXPECT_NONE(accesses_invalid_field(log, accesses, from, until));
        return whole_invalid_field(machine, log, accesses, latest ? &s->tia.now : NULL);
    }
    /* It was emptied into its picture. */
    EXPECT(log->count == 0, "log.count");
    EXPECT(is_zero(&log->start, sizeof log->start), "log.start");
    const size_t cover = log->covered ? picture_buffer_size(machine->picture) : 0;
    EXPECT(are_object_sets(accesses + picture_buffer_size(machine->picture), cover), "log.cover");
    return NULL;
}

static const char *head_invalid_field(const saved_picture *head) {
    EXPECT_NONE(invalid_field(picture_invariants, head));
    for (int i = 0; i < CURSORS; i++) EXPECT_NONE(invalid_field(cursor_invariants, &head->cursor[i]));
    unsigned seen = head->cursor[SEEN_PAIRS].pairs, unseen = head->cursor[UNSEEN_PAIRS].pairs;
    EXPECT((seen ^ unseen) == ALL_PAIRS && !(seen & unseen), "cursor.pairs");
    return NULL;
}

const char *picture_invalid_field(const console *machine, const machine_state *s, const uint8_t *from, size_t size) {
    saved_picture head;
    EXPECT(size >= sizeof head, "size");
    memcpy(&head, from, sizeof head);
    EXPECT_NONE(head_invalid_field(&head));
    size_t used = sizeof head;
    for (unsigned back = 0; back < 2; back++) {
        saved_log log;
        EXPECT(size - used >= sizeof log, "size");
        memcpy(&log, from + used, sizeof log);
        EXPECT_NONE(invalid_field(log_invariants, &log));
        EXPECT(log.covered <= !log.whole, "log.covered");
        const size_t need = saved_log_size(machine, log.count, log.whole, log.covered);
        EXPECT(size - used >= need, "size");
        for (int i = 0; i < CURSORS; i++)
            EXPECT(head.back[i] != back || head.cursor[i].index <= log.count, "cursor.index");
        /* A frame that goes on was drawn so far, and continues with an empty log. */
        EXPECT(!s->partial || back > 0 || !log.whole, "partial");
        EXPECT_NONE(log_invalid_field(machine, s, &log, from + used + sizeof log, back == 0));
        used += need;
    }
    EXPECT(used == size, "size");
    return NULL;
}

/* Restore the cover of pixels from outside; NULL: it is unknown, so no objects are recorded. */
static void adopt_cover(console *machine, unsigned buffer, const uint8_t *from) {
    uint8_t *cover = picture_cover(machine, buffer);
    const size_t size = picture_buffer_size(machine->picture);
    if (cover && from) memcpy(cover, from, size);
    if (cover && !from) memset(cover, 0, size);
}

/* Continue with logs that came from outside. */
static void adopt_logs(console *machine) {
    picture *p = machine->picture;
    continue_log(machine);
    p->following.followed = p->logs.frame[p->logs.latest].count;
    p->scan.scanned = NOT_SCANNED;
    for (int i = 0; i < CURSORS; i++) p->collisions.state[i].at = 0;
    invalidate_followers(machine);
}

bool picture_make_room_for(console *machine, const uint8_t *from) {
    uint32_t most = 0;
    from += sizeof(saved_picture);
    for (unsigned back = 0; back < 2; back++) {
        saved_log log;
        memcpy(&log, from, sizeof log);
        if (log.count > most) most = log.count;
        from += saved_log_size(machine, log.count, log.whole, log.covered);
    }
    return picture_make_room(machine, most);
}

void picture_restore(console *machine, const uint8_t *from) {
    picture *p = machine->picture;
    saved_picture head;
    from = get(&head, from, sizeof head);
    p->logs.latest = 1;
    p->buffers.latest = head.buffer;
    for (int i = 0; i < CURSORS; i++) {
        p->collisions.cursor[i] = head.cursor[i];
        p->collisions.cursor[i].log = head.back[i] ? 0 : 1;
    }
    clear_log(&p->logs.frame[2]);
    const size_t size = picture_buffer_size(p);
    for (unsigned back = 0; back < 2; back++) {
        frame_log *log = &p->logs.frame[1 - back];
        saved_log record;
        from = get(&record, from, sizeof record);
        log->start = record.whole ? record.start : machine->s.tia.now;
        log->count = record.count;
        log->end = log->reach = machine->window_end;
        log->whole = record.whole;
        log->in_buffer = !record.whole;
        from = get(log->access, from, record.count * sizeof(tia_access));
        if (record.whole) continue;
        const unsigned buffer = p->buffers.latest ^ back;
        p->buffers.black = p->buffers.black && !record.covered && is_zero(from, size); /* as after every reset */
        if (!p->buffers.black) memcpy(picture_pixels(p, buffer), from, size);
        from += size;
        adopt_cover(machine, buffer, record.covered ? from : NULL);
        if (record.covered) from += size;
    }
    adopt_logs(machine);
}

void picture_copy(console *machine, const console *source) {
    picture *p = machine->picture;
    const picture *other = source->picture;
    const size_t size = picture_buffer_size(p);
    p->logs.latest = other->logs.latest;
    p->buffers.latest = other->buffers.latest;
    p->collisions.pairs_read = other->collisions.pairs_read;
    memcpy(p->collisions.cursor, other->collisions.cursor, sizeof p->collisions.cursor);
    for (unsigned back = 0; back < 2; back++) {
        const frame_log *from = &other->logs.frame[log_back(other, back)];
        frame_log *log = &p->logs.frame[log_back(other, back)];
        memcpy(log, from, offsetof(frame_log, access));
        memcpy(log->access, from->access, from->count * sizeof(tia_access));
        log->in_buffer = !log->whole;
        const size_t at = (p->buffers.latest ^ back) * size;
        if (log->whole) continue;
        p->buffers.black = p->buffers.black && other->buffers.black;
        if (!p->buffers.black) memcpy(p->buffers.pixels + at, other->buffers.pixels + at, size);
        adopt_cover(machine, p->buffers.latest ^ back, picture_cover(source, p->buffers.latest ^ back));
    }
    clear_log(&p->logs.frame[log_back(p, 2)]);
    adopt_logs(machine);
}
