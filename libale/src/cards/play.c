/* What a card does: its code run each frame, its start values, its choice of a mode. */
#include <string.h>

#include "card.h"

/* Numbers stop at the ends of their range. */
static int32_t saturated(int64_t number) {
    return number < -CARD_NUMBER_LIMIT ? -CARD_NUMBER_LIMIT : number > CARD_NUMBER_LIMIT ? CARD_NUMBER_LIMIT
                                                                                        : (int32_t)number;
}

/* Rounded down; 0 where there is nothing to divide by. */
static int32_t divide(int32_t a, int32_t b) {
    if (b == 0) return 0;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int32_t modulo(int32_t a, int32_t b) { return b == 0 ? 0 : a - divide(a, b) * b; }

static int32_t shift_left(int32_t a, int32_t n) {
    return saturated((int64_t)a * (INT64_C(1) << (n < 0 ? 0 : n > 31 ? 31 : n)));
}

static int32_t shift_right(int32_t a, int32_t n) {
    n = n < 0 ? 0 : n > 31 ? 31 : n;
    return a < 0 ? ~(~a >> n) : a >> n;
}

static int32_t *field(game_state *state, int32_t offset) {
    return (int32_t *)(void *)((uint8_t *)state + offset);
}

int32_t card_run(const ale_card *card, int start, game_state *state, const game_memory *memory) {
    int32_t stack[CARD_STACK_SIZE], *top = stack; /* the next place; the compiler has counted them */
    *top = 0;
    for (const card_instruction *i = &card->code[start];; i++) {
        const int32_t operand = i->operand;
        int32_t b;
        switch (i->op) {
        case CARD_NUMBER: *top++ = operand; break;
        case CARD_RAM: *top++ = memory->ram[operand]; break;
        case CARD_BEFORE: *top++ = state->before[operand]; break;
        case CARD_STATE: *top++ = *field(state, operand); break;
        case CARD_OVER: *top++ = state->terminal; break;
        case CARD_OUT: *top++ = state->lives[operand] < 0; break;

        case CARD_NEGATE: top[-1] = -top[-1]; break;
        case CARD_INVERT: top[-1] = saturated(~(int64_t)top[-1]); break;
        case CARD_NOT: top[-1] = !top[-1]; break;
        case CARD_ABS: top[-1] = top[-1] < 0 ? -top[-1] : top[-1]; break;
        case CARD_SIGNED: top[-1] = (int8_t)(top[-1] & 255); break;
        case CARD_BCD: top[-1] = bcd((uint8_t)(top[-1] & 255)); break;

#define BINARY(name, result)              \
    case name:                            \
        b = *--top;                       \
        top[-1] = (int32_t)(result);      \
        break
#define A top[-1]
            BINARY(CARD_ADD, saturated((int64_t)A + b));
            BINARY(CARD_SUBTRACT, saturated((int64_t)A - b));
            BINARY(CARD_MULTIPLY, saturated((int64_t)A * b));
            BINARY(CARD_DIVIDE, divide(A, b));
            BINARY(CARD_MODULO, modulo(A, b));
            BINARY(CARD_SHIFT_LEFT, shift_left(A, b));
            BINARY(CARD_SHIFT_RIGHT, shift_right(A, b));
            BINARY(CARD_BIT_AND, saturated(A & b));
            BINARY(CARD_BIT_OR, saturated(A | b));
            BINARY(CARD_BIT_XOR, saturated(A ^ b));
            BINARY(CARD_AND, A && b);
            BINARY(CARD_OR, A || b);
            BINARY(CARD_EQUAL, A == b);
            BINARY(CARD_UNEQUAL, A != b);
            BINARY(CARD_LESS, A < b);
            BINARY(CARD_LESS_EQUAL, A <= b);
            BINARY(CARD_GREATER, A > b);
            BINARY(CARD_GREATER_EQUAL, A >= b);
            BINARY(CARD_MIN, A < b ? A : b);
            BINARY(CARD_MAX, A > b ? A : b);
            BINARY(CARD_BIT, shift_right(A, b) & 1);
            BINARY(CARD_BCD_PAIR, saturated(100 * (int64_t)A + bcd((uint8_t)(b & 255))));
#undef A
#undef BINARY
        case CARD_CHOOSE:
            top -= 2;
            if (!top[0]) top[-1] = top[1];
            break;

        case CARD_STORE: *field(state, operand) = *--top; break;
        case CARD_SCORE:
            state->reward[operand] = saturated((int64_t)*--top - state->score[operand]);
            state->score[operand] = *top;
            break;
        case CARD_LIVES:
            top -= 2;
            state->lives[operand] = top[1] ? -1 : top[0];
            break;
        case CARD_STORE_OVER: state->terminal = *--top != 0; break;
        case CARD_END: return top == stack ? 0 : top[-1];
        }
    }
}

static const card_rules *own(const game_rules *rules) { return (const card_rules *)(const void *)rules; }

void card_reset(const game_rules *rules, game_state *state, const game_memory *memory) {
    const ale_card *card = own(rules)->card;
    for (int i = 0; i < card->variable_count; i++)
        if (!card->is_kept[i]) state->var[i] = card->first_values[i];
    if (rules->looks_back) memcpy(state->before, memory->ram, sizeof state->before);
}

void card_step(const game_rules *rules, game_state *state, const game_memory *memory) {
    const ale_card *card = own(rules)->card;
    card_run(card, 0, state, memory);
    if (rules->looks_back) memcpy(state->before, memory->ram, sizeof state->before);
}

static void write_bytes(const ale_card *card, card_pokes pokes, game_state *state, game_control *control) {
    for (const card_poke *poke = &card->pokes[pokes.first]; poke < &card->pokes[pokes.first + pokes.count]; poke++) {
        int32_t value = card_run(card, poke->code, state, control_memory(control));
        control_poke(control, poke->index, (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value));
    }
}

void card_set(const game_rules *rules, game_state *state, game_control *control) {
    write_bytes(own(rules)->card, own(rules)->set, state, control);
}

void card_hold(const game_rules *rules, game_state *state, game_control *control) {
    write_bytes(own(rules)->card, own(rules)->hold, state, control);
}

/* In the order of the card's keys: rest, press, press until. */
bool card_select_mode(const game_rules *rules, game_state *state, game_control *control, int mode) {
    const ale_card *card = own(rules)->card;
    const game_memory *memory = control_memory(control);
    (void)mode; /* the code reads it from the state */
    if (!card->selects) return true;
    for (int i = 0; i < card->select_rest; i++) control_act(control, ACTION_NOOP);
    if (card->select_first && !control_press_select(control, card->select_first)) return false;
    while (!card_run(card, card->select_until, state, memory))
        if (!control_press_select(control, card->select_frames)) return false;
    control_soft_reset(control);
    return true;
}
