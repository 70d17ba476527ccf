/* Resizing: tables made once, and the ways to apply them.
 *
 * The usual way, fractional boxes (84 x 84), is defined in single precision: a target pixel is the sum of
 * sum(pixel * x weight) * y weight, rounded after every operation.  But the weights are fractions with small
 * denominators (21/40, 2/5), so the exact sum is a whole number divided by their product (200), and that can
 * be computed many pixels at a time.  Rounding would have made a difference only where the exact value lies
 * halfway between two grays: those few pixels are computed as defined.
 *
 * Compiled without contraction of multiplications and additions, and without excess precision (meson.build). */
#include "resize.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 2,
               "libale needs a processor that rounds every float and double as such; on x86, -msse2 -mfpmath=sse");

typedef enum method {
    COPY,
    WHOLE_BOXES,
    BOXES,        /* as defined */
    EXACT_BOXES,  /* exact sums, in floats that hold them exactly */
    NARROW_BOXES, /* exact sums, in 16 bits */
    LINEAR
} method;

enum { MOST_WEIGHED = 256 }; /* rows that NARROW_BOXES and EXACT_BOXES make one of */

/* What each target position takes from a row or column: `count` neighbours from `first` on. */
typedef struct axis {
    int all, from;            /* of the picture; of these `source` are resized, from this one on */
    int source, target, most; /* most: contributions to one position, at most */
    int *first, *count;
    float *weight; /* [target][most] */
    uint16_t *part; /* the same in units of 1 / unit; LINEAR: of 1 / 2048 */
    int unit;
} axis;

struct resizer {
    method how;
    axis x, y;
    const row_loops *loops;
    tap_group *groups;     /* of the x axis; NULL: rows are narrowed one pixel at a time */
    int group;             /* positions of each: GROUP or HALF_GROUP */
    group_pair *pairs;     /* the same as GROUP positions each; or NULL */
    tap_weights *weights;  /* of each position; NULL: positions have too many neighbours */
    wide_group *wide;      /* the same, for loops that have wide registers; or NULL */
    int divisor;           /* of exact sums: x.unit * y.unit */
    row_division division; /* NARROW_BOXES: by divisor */
    float_division float_division; /* EXACT_BOXES: likewise */
};

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void axis_free(axis *a) {
    free(a->first);
    free(a->count);
    free(a->weight);
    free(a->part);
}

static bool axis_init(axis *a, int picture, int before, int after, int target) {
    const int source = picture - before - after;
    a->all = picture;
    a->from = before;
    double scale = 1.0 / ((double)target / source);
    a->source = source;
    a->target = target;
    a->most = (int)ceil(scale) + 2;
    size_t all = (size_t)target * (size_t)a->most;
    a->first = calloc((size_t)target, sizeof *a->first);
    a->count = calloc((size_t)target, sizeof *a->count);
    a->weight = calloc(all, sizeof *a->weight);
    a->part = calloc(all, sizeof *a->part);
    return a->first && a->count && a->weight && a->part;
}

static int common_divisor(int a, int b) { return b ? common_divisor(b, a % b) : a; }

/* Boxes with fractions at both ends.  Slivers thinner than a thousandth of a pixel are dropped. */
static void axis_boxes(axis *a) {
    const double scale = 1.0 / ((double)a->target / a->source), sliver = 0.001;
    a->unit = a->source / common_divisor(a->source, a->target);
    for (int d = 0; d < a->target; d++) {
        double begin = d * scale, end = begin + scale;
        double cell = fmin(scale, a->source - begin);
        int s1 = (int)ceil(begin), s2 = (int)floor(end);
        if (s2 > a->source - 1) s2 = a->source - 1;
        if (s1 > s2) s1 = s2;
        float *weight = a->weight + d * a->most;
        int n = 0;
        a->first[d] = s1;
        if (s1 - begin > sliver) {
            a->first[d] = s1 - 1;
            weight[n++] = (float)((s1 - begin) / cell);
        }
        for (int j = s1; j < s2; j++) weight[n++] = (float)(1.0 / cell);
        if (end - s2 > sliver) weight[n++] = (float)(fmin(fmin(end - s2, 1.0), cell) / cell);
        a->first[d] += a->from;
        a->count[d] = n;
        for (int j = 0; j < n; j++) a->part[d * a->most + j] = (uint16_t)lrint((double)weight[j] * a->unit);
    }
}

/* Two neighbours, weighted in 11 bits. */
static void axis_linear(axis *a) {
    const double inverse = (double)a->target / a->source, scale = 1.0 / inverse;
    for (int d = 0; d < a->target; d++) {
        int p = (int)floor(d * scale);
        float f = (float)((d + 1) - (p + 1) * inverse);
        f = f <= 0 ? 0 : f - floorf(f);
        if (p >= a->source - 1) {
            p = a->source - 1;
            f = 0;
        }
        a->first[d] = a->from + p;
        a->count[d] = p < a->source - 1 ? 2 : 1;
        a->part[d * a->most] = (uint16_t)lrintf((1.0f - f) * 2048.0f);
        a->part[d * a->most + 1] = (uint16_t)lrintf(f * 2048.0f);
    }
}

/* Return whether the fractions equal the weights and add up. */
static bool parts_are_exact(const axis *a) {
    for (int d = 0; d < a->target; d++) {
        int sum = 0;
        for (int j = 0; j < a->count[d]; j++) {
            int at = d * a->most + j;
            sum += a->part[at];
            if (fabs((double)a->weight[at] * a->unit - a->part[at]) > 1e-4) return false;
        }
        if (sum != a->unit) return false;
    }
    return true;
}

/* Find a multiplier and shifts that divide every sum there can be, with half a divisor added. */
static bool find_division(resizer *r) {
    const uint32_t divisor = (uint32_t)r->divisor, most = 255 * divisor + divisor / 2;
    for (unsigned pre = 0; (divisor >> pre) << pre == divisor; pre++)
        for (unsigned shift = 0; shift < 16; shift++) {
            uint32_t odd = divisor >> pre, multiplier = ((UINT32_C(1) << (16 + shift)) + odd - 1) / odd;
            if (multiplier > UINT16_MAX) break;
            bool right = true;
            for (uint32_t n = 0; right && n <= most; n++)
                right = ((n >> pre) * multiplier >> 16 >> shift) == n / divisor;
            if (!right) continue;
            r->division = (row_division){.divisor = (uint16_t)divisor,
                                         .multiplier = (uint16_t)multiplier,
                                         .pre_shift = (uint8_t)pre,
                                         .shift = (uint8_t)shift};
            return true;
        }
    return false;
}

/* Values of exact sums are 1 / divisor apart.  Rounding moves a value by `error` at most; where that is less
 * than half of their distance only exact halves are in doubt. */
static method choose_boxes(resizer *r) {
    double error = 255.0 * ldexp(1.0, -24) * (r->x.most + r->y.most + 6);
    r->divisor = r->x.unit * r->y.unit;
    if (!parts_are_exact(&r->x) || !parts_are_exact(&r->y)) return BOXES;
    if (r->divisor <= 256 && r->y.most <= MOST_WEIGHED && error * r->divisor < 0.4 && find_division(r))
        return NARROW_BOXES;
    if (255.0 * r->x.unit > UINT16_MAX || 255.0 * r->divisor >= 1 << 24 || error > 0.05) return BOXES;
    if (r->y.most > MOST_WEIGHED) return BOXES;
    r->float_division = (float_division){1.0f / (float)r->divisor, (float)(0.5 - 2 * error)};
    return EXACT_BOXES;
}

/* Return groups of `size` positions.  NULL: out of memory, or the positions of a group and their neighbours can be more
 * than 16 bytes apart. */
static tap_group *make_groups(const axis *a, int size) {
    const int count = (a->target + size - 1) / size;
    if (a->unit > 127) return NULL;
    tap_group *groups = calloc((size_t)count, sizeof *groups);
    if (!groups) return NULL;
    for (int d = 0; d < a->target; d++) {
        tap_group *group = groups + d / size;
        int i = d % size;
        if (i == 0) group->from = a->first[d];
        int distance = a->first[d] - group->from;
        if (distance + 1 > 15 || a->count[d] > MOST_TAPS) {
            free(groups);
            return NULL;
        }
        for (int j = 0; j < MOST_TAPS; j++) {
            group->take[2 * i + j % 2] = (uint8_t)(distance + j % 2);
            group->part[j / 2][2 * i + j % 2] = (uint8_t)(j < a->count[d] ? a->part[d * a->most + j] : 0);
        }
    }
    return groups;
}

/* Place the two groups of a pair, GROUP_BYTES apart where all neighbours are within reach then. */
static void place_pair(const axis *a, int first, int32_t from[2]) {
    const int last = a->target - 1, second = first + GROUP;
    from[0] = a->first[first];
    from[1] = from[0] + GROUP_BYTES;
    if (second > last) return;
    const int reach = GROUP_BYTES - 2, end = a->first[second - 1], next = a->first[second];
    const int next_end = a->first[second + GROUP - 1 < last ? second + GROUP - 1 : last];
    const int both = next - GROUP_BYTES < from[0] ? next - GROUP_BYTES : from[0];
    from[1] = next;
    if (both < 0 || end - both > reach || next_end - GROUP_BYTES - both > reach) return;
    from[0] = both;
    from[1] = both + GROUP_BYTES;
}

/* Return pairs of groups, where there are groups of GROUP positions.  NULL: out of memory, or a pair reaches more than
 * RESIZE_PADDING beyond the row. */
static group_pair *make_pairs(const axis *a) {
    const int size = 2 * GROUP, count = (a->target + size - 1) / size;
    group_pair *pairs = calloc((size_t)count, sizeof *pairs);
    if (!pairs) return NULL;
    for (int d = 0; d < a->target; d++) {
        group_pair *pair = pairs + d / size;
        const int i = d % size;
        if (i == 0) place_pair(a, d, pair->from);
        if (pair->from[1] + GROUP_BYTES + 2 > a->all + RESIZE_PADDING) {
            free(pairs);
            return NULL;
        }
        for (int j = 0; j < MOST_TAPS; j++) {
            pair->take[2 * i + j % 2] = (uint8_t)(a->first[d] - pair->from[i / GROUP] + j % 2);
            pair->part[j / 2][2 * i + j % 2] = (uint8_t)(j < a->count[d] ? a->part[d * a->most + j] : 0);
        }
    }
    return pairs;
}

/* Return the weights of each position.  NULL: out of memory, or a position has too many neighbours. */
static tap_weights *make_weights(const axis *a) {
    tap_weights *weights = calloc((size_t)a->target, sizeof *weights);
    if (!weights) return NULL;
    for (int d = 0; d < a->target; d++) {
        if (a->count[d] > MOST_TAPS) {
            free(weights);
            return NULL;
        }
        memcpy(weights[d].of, a->weight + d * a->most, (size_t)a->count[d] * sizeof *a->weight);
    }
    return weights;
}

/* Return the wide groups.  NULL: out of memory, a position needs more than a group's 64 bytes, or a group reaches more
 * than RESIZE_PADDING beyond the row. */
static wide_group *make_wide_groups(const axis *a) {
    const size_t count = ((size_t)a->target + WIDE_GROUP - 1) / WIDE_GROUP;
    wide_group *groups = calloc(count, sizeof *groups);
    if (!groups) return NULL;
    for (int d = 0; d < a->target; d++) {
        wide_group *group = groups + d / WIDE_GROUP;
        const int i = d % WIDE_GROUP, taps = a->count[d];
        if (i == 0) group->from = a->first[d];
        const int distance = a->first[d] - group->from;
        if (distance + taps > 2 * WIDE_GROUP || group->from + 2 * WIDE_GROUP > a->all + RESIZE_PADDING) {
            free(groups);
            return NULL;
        }
        for (int j = 0; j < taps; j++) {
            group->take[j / 2][2 * i + j % 2] = (uint8_t)(distance + j);
            group->part[j / 2][2 * i + j % 2] = (uint8_t)a->part[d * a->most + j];
        }
    }
    return groups;
}

resizer *resizer_create(int height, int width, const resize_crop *crop, int target_height, int target_width) {
    static const resize_crop nothing;
    resizer *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->loops = row_loops_number(0);
    if (!crop) crop = &nothing;
    if (!axis_init(&r->x, width, crop->left, crop->right, target_width) ||
        !axis_init(&r->y, height, crop->top, crop->bottom, target_height)) {
        resizer_destroy(r);
        return NULL;
    }
    const int source_width = r->x.source, source_height = r->y.source;
    double scale_x = 1.0 / ((double)target_width / source_width);
    double scale_y = 1.0 / ((double)target_height / source_height);
    const double epsilon = ldexp(1.0, -52);
    if (source_width == target_width && source_height == target_height) {
        r->how = COPY;
        for (int y = 0; y < target_height; y++) {
            r->y.first[y] = r->y.from + y;
            r->y.count[y] = 1;
        }
    } else if (scale_x < 1 || scale_y < 1) {
        r->how = LINEAR;
        axis_linear(&r->x);
        axis_linear(&r->y);
    } else {
        axis_boxes(&r->x);
        axis_boxes(&r->y);
        bool whole = fabs(scale_x - rint(scale_x)) < epsilon && fabs(scale_y - rint(scale_y)) < epsilon;
        r->how = whole ? WHOLE_BOXES : choose_boxes(r);
        if (r->how == EXACT_BOXES || r->how == NARROW_BOXES) {
            r->weights = make_weights(&r->x);
            r->groups = make_groups(&r->x, r->group = GROUP);
            if (r->groups) {
                r->pairs = make_pairs(&r->x);
                r->wide = make_wide_groups(&r->x);
            } else {
                r->groups = make_groups(&r->x, r->group = HALF_GROUP);
            }
        }
    }
    return r;
}

void resizer_use(resizer *r, const row_loops *loops) { r->loops = loops; }

void resizer_destroy(resizer *r) {
    if (!r) return;
    axis_free(&r->x);
    axis_free(&r->y);
    free(r->groups);
    free(r->pairs);
    free(r->weights);
    free(r->wide);
    free(r);
}

/* ---- Application --------------------------------------------------------------------------------------- */

/* Scratch memory holds every stored row made as narrow as the target, at most four bytes a value; then a row of sums;
 * then a mark for each stored row.  For NARROW_BOXES it holds some rows and their sums, two bytes a value; then a bit
 * and a byte for each value of a row. */
static size_t narrow_width(const resizer *r) {
    return (size_t)(r->x.target + WIDE_GROUP - 1) / WIDE_GROUP * WIDE_GROUP;
}
static size_t narrow_size(const resizer *r) {
    return ((size_t)r->y.all + 1) * narrow_width(r) * sizeof(int32_t);
}
static size_t narrow_slots(const resizer *r) { return (size_t)r->y.most + 1; } /* one more than a target row needs */
size_t resizer_scratch(const resizer *r) {
    const size_t all = narrow_size(r) + (size_t)r->y.all;
    const size_t some = ((narrow_slots(r) + 1) * sizeof(uint16_t) + 2) * narrow_width(r);
    return r->how == NARROW_BOXES && some > all ? some : all;
}

void resizer_keep(const resizer *r, const uint8_t *changed, uint8_t *kept) {
    int next = 0; /* changed row */
    for (int y = 0; y < r->y.target; y++) {
        const int first = r->y.first[y];
        if (next < first) next = first;
        while (next < r->y.all && !changed[next]) next++;
        kept[y] = next >= first + r->y.count[y];
    }
}

static bool is_kept(const uint8_t *kept, int y) { return kept && kept[y]; }

/* Mark the stored rows that are needed for the target rows which are not kept. */
static const uint8_t *find_needed(const resizer *r, plane_rows source, const uint8_t *kept, void *scratch) {
    uint8_t *needed = (uint8_t *)scratch + narrow_size(r);
    memset(needed, 0, (size_t)r->y.all);
    for (int y = 0; y < r->y.target; y++)
        for (int j = 0; !is_kept(kept, y) && j < r->y.count[y]; j++) needed[source.row_of[r->y.first[y] + j]] = 1;
    return needed;
}

static const uint8_t *stored_row(plane_rows source, int row) {
    return source.pixels + (size_t)row * source.stride;
}

static int stored_rows(const resizer *r, plane_rows source) { return source.row_of[r->y.all - 1] + 1; }

static uint8_t saturate(float value) {
    long rounded = lrintf(value);
    return rounded < 0 ? 0 : rounded > 255 ? 255 : (uint8_t)rounded;
}

/* One pixel of a row as it is defined. */
static float box_of_row(const resizer *r, const uint8_t *row, int x) {
    const float *weight = r->x.weight + x * r->x.most;
    const uint8_t *pixel = row + r->x.first[x];
    float sum = 0;
    for (int j = 0; j < r->x.count[x]; j++) sum += (float)pixel[j] * weight[j];
    return sum;
}

static void run_boxes(const resizer *r, plane_rows source, const uint8_t *kept, float *narrow, uint8_t *out,
                      size_t step) {
    const int width = r->x.target, rows = stored_rows(r, source);
    const uint8_t *needed = find_needed(r, source, kept, narrow);
    for (int row = 0; row < rows; row++)
        for (int x = 0; needed[row] && x < width; x++)
            narrow[row * width + x] = box_of_row(r, stored_row(source, row), x);
    for (int y = 0; y < r->y.target; y++, out += (size_t)width * step)
        for (int x = 0; !is_kept(kept, y) && x < width; x++) {
            float sum = 0;
            for (int j = 0; j < r->y.count[y]; j++)
                sum += r->y.weight[y * r->y.most + j] * narrow[source.row_of[r->y.first[y] + j] * width + x];
            out[(size_t)x * step] = saturate(sum);
        }
}

/* The exact sums of a stored row. */
static void narrow_row(const resizer *r, const uint8_t *row, uint16_t *narrow) {
    const axis *a = &r->x;
    if (r->wide && r->loops->narrow_wide) {
        r->loops->narrow_wide(r->wide, narrow_width(r) / WIDE_GROUP, row, narrow);
        return;
    }
    if (r->pairs && r->loops->narrow_pairs) {
        const int size = 2 * GROUP;
        r->loops->narrow_pairs(r->pairs, (size_t)((a->target + size - 1) / size), row, narrow);
        return;
    }
    if (r->groups) {
        const size_t count = (size_t)((a->target + r->group - 1) / r->group);
        (r->group == GROUP ? r->loops->narrow : r->loops->narrow_halves)(r->groups, count, row, narrow);
        return;
    }
    for (int x = 0; x < a->target; x++) {
        const uint8_t *pixel = row + a->first[x];
        int32_t sum = 0;
        for (int j = 0; j < a->count[x]; j++) sum += pixel[j] * a->part[x * a->most + j];
        narrow[x] = (uint16_t)sum;
    }
}

/* Those of every stored row that is needed. */
static void narrow_rows(const resizer *r, plane_rows source, const uint8_t *kept, uint16_t *narrow) {
    const uint8_t *needed = find_needed(r, source, kept, narrow);
    const size_t width = narrow_width(r);
    const int rows = stored_rows(r, source);
    for (int row = 0; row < rows; row++, narrow += width)
        if (needed[row]) narrow_row(r, stored_row(source, row), narrow);
}

/* The rows that were made narrow last.  A target row needs at most axis.most of them; the first of these may be the
 * last that the target row before needed. */
typedef struct narrow_ring {
    uint16_t *rows, *end, *row; /* row: the latest */
    size_t stride;
    int latest; /* which stored row that is; -1: none yet */
} narrow_ring;

/* A stored row made narrow; none after the latest, nor before what the ring holds, is asked for. */
static const uint16_t *narrow_in_ring(narrow_ring *ring, const resizer *r, plane_rows source, int row) {
    if (row != ring->latest) {
        ring->latest = row;
        ring->row += ring->stride;
        if (ring->row == ring->end) ring->row = ring->rows;
        narrow_row(r, stored_row(source, row), ring->row);
    }
    return ring->row;
}

/* One pixel as it is defined, of `count` rows of pixels and their weights. */
static uint8_t box(const resizer *r, const uint8_t *const rows[], const float *weight, int count, int x) {
    float sum = 0, of_row = 0;
    for (int j = 0; j < count; j++) {
        if (j == 0 || rows[j] != rows[j - 1]) of_row = box_of_row(r, rows[j], x);
        sum += weight[j] * of_row;
    }
    return saturate(sum);
}

/* Compute up to eight pixels as they are defined. */
static void settle(const resizer *r, const uint8_t *const rows[], const float *weight, int count,
                   int positions[GROUP], int waiting, uint8_t *out) {
    enum { FEW = 2 }; /* are faster one by one */
    if (waiting > FEW && r->weights && r->loops->define) {
        for (int i = waiting; i < GROUP; i++) positions[i] = positions[0];
        r->loops->define(rows, weight, count, r->x.first, r->weights, positions, out);
        return;
    }
    for (int i = 0; i < waiting; i++) out[positions[i]] = box(r, rows, weight, count, positions[i]);
}

/* Compute the pixels whose value lies halfway as they are defined. */
static void settle_halves(const resizer *r, plane_rows source, int y, const uint32_t *halves, uint8_t *out) {
    const uint8_t *rows[MOST_WEIGHED];
    const uint16_t *row_of = source.row_of + r->y.first[y];
    const float *weight = r->y.weight + y * r->y.most;
    const int count = r->y.count[y];
    int positions[GROUP], waiting = 0;
    for (int j = 0; j < count; j++) rows[j] = stored_row(source, row_of[j]);
    for (int x = 0; x < r->x.target; x += WIDE_GROUP)
        for (uint32_t left = halves[x / WIDE_GROUP]; left; left &= left - 1) {
            positions[waiting++] = x + __builtin_ctz(left);
            if (waiting < GROUP) continue;
            settle(r, rows, weight, count, positions, waiting, out);
            waiting = 0;
        }
    settle(r, rows, weight, count, positions, waiting, out);
}

/* Target rows are made one after the other.  One that is made of a single stored row, as is the one before it, equals
 * that, unless values lie halfway: then the weights of the rows decide. */
static void run_narrow_boxes(const resizer *r, plane_rows source, const uint8_t *kept, uint16_t *narrow,
                             uint8_t *out, size_t step) {
    const size_t stride = narrow_width(r), width = (size_t)r->x.target, slots = narrow_slots(r);
    uint16_t *const end = narrow + slots * stride;
    narrow_ring ring = {.rows = narrow, .end = end, .row = end - stride, .stride = stride, .latest = -1};
    uint16_t *restrict sums = end;
    uint32_t *multiples = (uint32_t *)(void *)(sums + stride); /* aligned, as strides are whole groups */
    uint8_t *bytes = (uint8_t *)(multiples + stride / WIDE_GROUP);
    int alone = -1; /* the stored row of which all of the target row before was made; -1: of several, or as defined */
    const uint8_t *of_alone = NULL; /* the first target row made of it; a load of the one above waits for its stores */
    for (int y = 0; y < r->y.target; y++, out += width * step) {
        if (is_kept(kept, y)) {
            alone = -1;
            continue;
        }
        const uint16_t *row_of = source.row_of + r->y.first[y];
        const int count = r->y.count[y];
        uint8_t *to = step == 1 ? out : bytes;
        const bool single = row_of[0] == row_of[count - 1];
        if (single && alone == row_of[0]) {
            if (step == 1) memcpy(out, of_alone, width);
        } else {
            const uint16_t *rows[MOST_WEIGHED];
            const uint16_t whole = (uint16_t)r->y.unit, *parts = single ? &whole : r->y.part + y * r->y.most;
            for (int j = 0; j < count; j++) rows[j] = narrow_in_ring(&ring, r, source, row_of[j]);
            const int weighed = single ? 1 : count;
            const bool some = r->loops->weigh(rows, parts, weighed, &r->division, width, sums, to, multiples);
            /* A multiple of the divisor lies halfway between two values, unless there is no such place. */
            const bool halves = some && r->divisor % 2 == 0;
            if (halves) settle_halves(r, source, y, multiples, to);
            alone = single && !halves ? row_of[0] : -1;
            of_alone = out;
        }
        for (size_t i = 0; step != 1 && i < width; i++) out[i * step] = to[i];
    }
}

/* Put the rows of a target row together, each stored row once; the parts are whole numbers.  Returns how many. */
static int find_weighed(const resizer *r, const uint16_t *row_of, int y, const uint16_t *narrow,
                        const uint16_t *rows[], float parts[]) {
    const uint16_t *part = r->y.part + y * r->y.most;
    int count = 0;
    for (int j = 0; j < r->y.count[y]; j++) {
        if (j == 0 || row_of[j] != row_of[j - 1]) {
            rows[count] = narrow + row_of[j] * narrow_width(r);
            parts[count++] = 0;
        }
        parts[count - 1] += (float)part[j];
    }
    return count;
}

static void run_exact_boxes(const resizer *r, plane_rows source, const uint8_t *kept, uint16_t *narrow,
                            uint8_t *out, size_t step) {
    const size_t stride = narrow_width(r), width = (size_t)r->x.target;
    narrow_rows(r, source, kept, narrow);
    float *values = (float *)(void *)(narrow + (size_t)stored_rows(r, source) * stride);
    uint32_t *halves = (uint32_t *)(void *)(values + stride);
    uint8_t *bytes = (uint8_t *)(halves + stride / WIDE_GROUP);
    int alone = -1; /* as in run_narrow_boxes */
    for (int y = 0; y < r->y.target; y++, out += width * step) {
        if (is_kept(kept, y)) {
            alone = -1;
            continue;
        }
        const uint16_t *row_of = source.row_of + r->y.first[y];
        const bool single = row_of[0] == row_of[r->y.count[y] - 1];
        if (!single || alone != row_of[0]) {
            const uint16_t *rows[MOST_WEIGHED];
            float parts[MOST_WEIGHED];
            const int count = find_weighed(r, row_of, y, narrow, rows, parts);
            const bool some =
                r->loops->weigh_floats(rows, parts, count, &r->float_division, width, values, bytes, halves);
            if (some) settle_halves(r, source, y, halves, bytes);
            alone = single && !some ? row_of[0] : -1;
        }
        if (step == 1)
            memcpy(out, bytes, width);
        else
            for (size_t i = 0; i < width; i++) out[i * step] = bytes[i];
    }
}

static void run_whole_boxes(const resizer *r, plane_rows source, const uint8_t *kept, uint8_t *out,
                            size_t step) {
    const int rows = r->y.source / r->y.target, columns = r->x.source / r->x.target;
    const float inverse = 1.0f / (float)(rows * columns);
    const bool of_four = rows == 2 && columns == 2;
    for (int y = 0; y < r->y.target; y++, out += (size_t)r->x.target * step)
        for (int x = 0; !is_kept(kept, y) && x < r->x.target; x++) {
            int sum = 0;
            for (int j = 0; j < rows; j++) {
                const uint8_t *row = stored_row(source, source.row_of[r->y.from + y * rows + j]) + r->x.from;
                for (int i = 0; i < columns; i++) sum += row[x * columns + i];
            }
            out[(size_t)x * step] = of_four ? (uint8_t)((sum + 2) >> 2) : saturate((float)sum * inverse);
        }
}

static void run_linear(const resizer *r, plane_rows source, const uint8_t *kept, int32_t *narrow,
                       uint8_t *out, size_t step) {
    const int width = r->x.target, rows = stored_rows(r, source);
    const uint8_t *needed = find_needed(r, source, kept, narrow);
    for (int row = 0; row < rows; row++)
        for (int x = 0; needed[row] && x < width; x++) {
            const uint8_t *pixel = stored_row(source, row) + r->x.first[x];
            const uint16_t *part = r->x.part + x * r->x.most;
            narrow[row * width + x] = pixel[0] * part[0] + pixel[r->x.count[x] - 1] * part[1];
        }
    for (int y = 0; y < r->y.target; y++, out += (size_t)width * step) {
        if (is_kept(kept, y)) continue;
        const int first = r->y.first[y], second = first + r->y.count[y] - 1;
        const int32_t *a = narrow + source.row_of[first] * width, *b = narrow + source.row_of[second] * width;
        const uint16_t *part = r->y.part + y * r->y.most;
        for (int x = 0; x < width; x++) {
            int32_t value = (((a[x] >> 4) * part[0] >> 16) + ((b[x] >> 4) * part[1] >> 16) + 2) >> 2;
            out[(size_t)x * step] = value > 255 ? 255 : (uint8_t)value;
        }
    }
}

static void run_copy(const resizer *r, plane_rows source, const uint8_t *kept, uint8_t *out, size_t step) {
    const size_t width = (size_t)r->x.source;
    for (int y = 0; y < r->y.source; y++, out += width * step) {
        const uint8_t *row = stored_row(source, source.row_of[r->y.from + y]) + r->x.from;
        for (size_t x = 0; !is_kept(kept, y) && x < width; x++) out[x * step] = row[x];
    }
}

void resizer_run(const resizer *r, plane_rows source, const uint8_t *kept, void *scratch, uint8_t *out,
                 size_t step) {
    switch (r->how) {
        case COPY: run_copy(r, source, kept, out, step); break;
        case WHOLE_BOXES: run_whole_boxes(r, source, kept, out, step); break;
        case BOXES: run_boxes(r, source, kept, scratch, out, step); break;
        case EXACT_BOXES: run_exact_boxes(r, source, kept, scratch, out, step); break;
        case NARROW_BOXES: run_narrow_boxes(r, source, kept, scratch, out, step); break;
        case LINEAR: run_linear(r, source, kept, scratch, out, step); break;
    }
}
