/* The third engine: instructions of the ROM translated to machine code of the host.
 *
 * The decoder (decode.h) says what each instruction of an image does; here these become templates of host
 * code, one block of instructions after the other, as far as jumps can be followed from an address at
 * which the program arrives.  Code is made when it is first needed, once per image, and shared by all
 * consoles that run it.  Whatever has no template is left to the plain core, one instruction at a time, with
 * every register as it is between two instructions.
 *
 * Where the host is of another kind, or will not map memory that can be executed, there is no translation:
 * the threaded core does the same work.
 *
 * This file chooses the instructions to be translated, keeps their code, and runs it. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../../support/os.h"
#include "../../cartridge/cartridge.h"
#include "../../cartridge/dpc.h"
#include "../../riot.h"
#include "../../video/tia.h"
#include "../cpu.h"
#include "../decode.h"
#include "../engine.h"
#include "emitter.h"

enum {
    BANK = 4096,
    UNCHECKED = 1500, /* cycles that code may run between two looks at the time, at most */
    MARGIN = UNCHECKED + 100,
    MOST_ENTRIES = MARGIN / 3, /* logged in that time */
    ROOM_PER_BYTE = 160,       /* of host code for a byte of ROM; code of other mirrors of a bank included */
    ROOM_FOR_RAM = 256 * 1024, /* of host code for code in RAM */
    RAM_ENTRIES = 256          /* for code in RAM, at most */
};

/* An entry of code in RAM: the bytes of its first instruction when that was translated. */
typedef struct ram_entry {
    uint8_t fixed, bytes[3];
    void *code;
    const struct ram_entry *next; /* of the same offset */
} ram_entry;

struct translation {
    const rom_image *rom;
    const cpu_code *code;
    uint32_t spaces;
    executable memory;
    stubs stub;
    void *miss;
    void **nowhere;          /* the entries of a space without code */
    instruction **bank;      /* decoded, where code has been made of them */
    space *space;            /* by number */
    _Atomic(void **) *table; /* by number: the space's entries */
    os_mutex lock;           /* for all of the above */
    atomic_bool broken;      /* there will be no more code */

    /* Code in RAM.  What is there is never changed, so that threads can go through it. */
    size_t ram_room;
    atomic_bool ram_full; /* there will be no more code for it */
    unsigned ram_entry_count;
    ram_entry ram_entries[RAM_ENTRIES];
    _Atomic(const ram_entry *) ram_found[RAM_SIZE]; /* by offset */
    void *ram_latest[RAM_SIZE];                     /* the latest code at each offset: where code in ROM jumps to */
};

/* ---- what templates call ------------------------------------------------------------------------------- */

static uint32_t HOST_CALL help_tia_read(console *machine, uint32_t address, uint32_t noise) {
    machine->s.data_bus = (uint8_t)noise;
    if (tia_is_input(address)) return tia_read_input(machine, address & 15); /* not logged */
    return tia_read_collisions(machine, address & 15);
}

static uint32_t HOST_CALL help_bus_read(console *machine, uint32_t address, uint32_t noise) {
    machine->s.data_bus = (uint8_t)noise;
    return bus_read(machine, (uint16_t)address);
}

static uint32_t HOST_CALL help_io_read(console *machine, uint32_t address, uint32_t unused) {
    (void)unused;
    return riot_read(machine, (uint16_t)address);
}

static uint32_t HOST_CALL help_cart_read(console *machine, uint32_t address, uint32_t unused) {
    (void)unused;
    return cartridge_read(machine, (uint16_t)address);
}

static uint32_t HOST_CALL help_dpc_read(console *machine, uint32_t address, uint32_t unused) {
    (void)unused;
    return dpc_read_register(machine, address);
}

static uint32_t HOST_CALL help_cart_write(console *machine, uint32_t address, uint32_t value) {
    cartridge_write(machine, (uint16_t)address, (uint8_t)value);
    return 0;
}

/* After a write: the frame ends, or a wait for a line may have brought it near its limit.  Only writes to WSYNC at a
 * fixed address are counted when paths are measured (place_checks). */
static uint32_t must_leave(const console *machine) {
    return machine->s.tia.stop || machine->s.cpu.time >= machine->translated.limit >> 16;
}

static uint32_t HOST_CALL help_tia_write(console *machine, uint32_t address, uint32_t value) {
    const unsigned reg = address & 0x3F;
    const uint8_t byte = (uint8_t)value;
    if (!tia_registers[reg].is_seen) { /* it need only be logged */
        if (shadow_changes_nothing(&machine->shadow, reg, byte)) return 0;
        log_append(&machine->log, tia_access_early(machine->s.cpu.time, reg, byte));
        shadow_note_write(&machine->shadow, reg, byte, machine->s.cpu.time);
        return 0;
    }
    if (reg == CXCLR) { /* some programs write it in every line */
        log_append(&machine->log, tia_access_early(machine->s.cpu.time, reg, byte));
        tia_clear_collisions(machine);
        return 0;
    }
    machine->s.bus_was_read = 1;
    tia_write(machine, (uint16_t)address, byte);
    return must_leave(machine);
}

static uint32_t HOST_CALL help_bus_write(console *machine, uint32_t address, uint32_t value) {
    machine->s.bus_was_read = 1;
    bus_write(machine, (uint16_t)address, (uint8_t)value);
    return must_leave(machine);
}

static uint32_t HOST_CALL help_pull_tia(console *machine, uint32_t sp, uint32_t unused) {
    (void)unused;
    const uint32_t noise = 0x68; /* PLA; or PLP, whose opcode shows the same bits to the TIA */
    return help_tia_read(machine, sp + 1, help_tia_read(machine, sp, noise));
}

static uint32_t HOST_CALL help_wait_intim(console *machine, uint32_t how, uint32_t unused) {
    (void)unused;
    cpu_state *cpu = &machine->s.cpu;
    if (machine->fast_paths & FAST_LOOPS)
        cpu->time += cpu_timer_turns(machine, cpu->time, how) * cpu_timer_turn(how);
    return riot_intim(&machine->s.riot, cpu->time);
}

static uint32_t decimal(console *machine, uint32_t m, uint32_t a_and_c, void (*add)(cpu_state *, uint8_t)) {
    cpu_state cpu = machine->s.cpu;
    cpu.a = (uint8_t)a_and_c;
    cpu.c = a_and_c >> 8 & 1;
    add(&cpu, (uint8_t)m);
    return cpu.a | (uint32_t)cpu.c << 8 | (uint32_t)cpu.v << 16;
}

static uint32_t HOST_CALL help_adc_decimal(console *machine, uint32_t m, uint32_t a_and_c) {
    return decimal(machine, m, a_and_c, cpu_adc);
}

static uint32_t HOST_CALL help_sbc_decimal(console *machine, uint32_t m, uint32_t a_and_c) {
    return decimal(machine, m, a_and_c, cpu_sbc);
}

typedef uint32_t HOST_CALL help_function(console *, uint32_t, uint32_t);

static help_function *const help_functions[HELPERS] = {
    [HELP_TIA_READ] = help_tia_read,       [HELP_IO_READ] = help_io_read,
    [HELP_CART_READ] = help_cart_read,     [HELP_CART_WRITE] = help_cart_write,
    [HELP_TIA_WRITE] = help_tia_write,     [HELP_BUS_READ] = help_bus_read,
    [HELP_BUS_WRITE] = help_bus_write,     [HELP_WAIT_INTIM] = help_wait_intim,
    [HELP_PULL_TIA] = help_pull_tia,       [HELP_ADC_DECIMAL] = help_adc_decimal,
    [HELP_SBC_DECIMAL] = help_sbc_decimal, [HELP_DPC_READ] = help_dpc_read,
};

/* ---- emitting ------------------------------------------------------------------------------------------ */

uint8_t *emit_space(emitter *e, uint32_t size) {
    code_buffer *b = &e->buffer[e->into];
    if (!b->bytes || b->size + size > b->capacity) {
        uint32_t capacity = 2 * b->capacity + size + 4096;
        uint8_t *bytes = realloc(b->bytes, capacity);
        if (!bytes) {
            e->failed = true;
            return e->nowhere;
        }
        b->bytes = bytes;
        b->capacity = capacity;
    }
    b->size += size;
    return b->bytes + b->size - size;
}

void emit_fixup(emitter *e, uint32_t at, fixup_kind kind, unsigned to, uint32_t target) {
    if (e->fixup_count == e->fixup_capacity) {
        uint32_t capacity = 2 * e->fixup_capacity + 256;
        fixup *fixups = realloc(e->fixups, capacity * sizeof *fixups);
        if (!fixups) {
            e->failed = true;
            return;
        }
        e->fixups = fixups;
        e->fixup_capacity = capacity;
    }
    e->fixups[e->fixup_count++] = (fixup){.at = at,
                                          .target = target,
                                          .from = (uint8_t)e->into,
                                          .to = (uint8_t)to,
                                          .kind = (uint8_t)kind};
}

static void emitter_free(emitter *e) {
    for (unsigned i = 0; i < BUFFERS; i++) free(e->buffer[i].bytes);
    free(e->fixups);
}

/* ---- where the time must be looked at ------------------------------------------------------------------ */

/* Return whether a block ends here: control may go elsewhere than to the next instruction of this bank. */
static bool ends(const instruction *i) {
    return !i->known || cpu_kinds[i->operation] == JUMPS || i->place == AT_HOTSPOT;
}

static bool is_branch(const instruction *i) { return cpu_kinds[i->operation] == BRANCHES; }

static bool waits_for_line(const instruction *i) {
    return cpu_kinds[i->operation] == WRITES && i->place == IN_TIA && (i->operand & 0x3F) == WSYNC;
}

/* Jumps backward and to addresses known only at run time look at the time themselves.  So only paths forward
 * can be long: `far` is the longest from each instruction to the next look. */
static bool place_checks(instruction *bank, uint32_t window) {
    uint32_t *far = calloc(window + 4, sizeof *far);
    if (!far) return false;
    for (uint32_t k = window; k-- > 0;) {
        instruction *i = &bank[k];
        uint32_t next = k + i->length, path = ends(i) || i->wait ? 0 : far[next];
        if (i->wait && next < window) bank[next].check = 1; /* much time may have passed */
        bool near = is_branch(i) ? i->operand < window : i->operation == OP_JMP && i->place == IS_TARGET;
        uint32_t target = i->operand & (window - 1);
        if (i->known && near && target > k && far[target] > path) path = far[target];
        if (i->known) path += i->cycles + (waits_for_line(i) ? LINE_CYCLES : 2u);
        if (path > UNCHECKED - 100) i->check = 1;
        far[k] = i->check ? 0 : path;
    }
    free(far);
    return true;
}

/* A bank's instructions; NULL when memory is short. */
static instruction *decode_bank(const rom_image *rom, const cpu_code *code, uint32_t bank) {
    const uint32_t window = code->window;
    instruction *all = malloc(window * sizeof *all);
    for (uint32_t k = 0; all && k < window; k++) cpu_decode(rom, code, bank, k, &all[k]);
    if (all && place_checks(all, window)) return all;
    free(all);
    return NULL;
}

/* ---- spaces -------------------------------------------------------------------------------------------- */

static uint32_t bank_at(const console *machine, const cpu_code *code, uint16_t address) {
    if (code->sliced) return machine->s.cartridge.slice[address >> 10 & 3];
    if (code->by_address) return address & 0x2000 ? 0 : 1;
    return machine->s.cartridge.offset / BANK;
}

/* The space's table, made where there is none yet; NULL when memory is short. */
static void **open_space(struct translation *t, uint32_t bank, uint16_t address) {
    const cpu_code *code = t->code;
    uint32_t number = space_number(code, bank, address);
    space *s = &t->space[number];
    if (s->entry) return s->entry;
    if (!t->bank[bank]) t->bank[bank] = decode_bank(t->rom, code, bank);
    void **entry = t->bank[bank] ? malloc(code->window * sizeof *entry) : NULL;
    if (!entry) return NULL;
    for (uint32_t i = 0; i < code->window; i++) entry[i] = t->miss;
    *s = (space){.instructions = t->bank[bank],
                 .window = code->window,
                 .bank = bank,
                 .base = (uint16_t)(address & ~(code->window - 1)),
                 .entry = entry};
    atomic_store_explicit(&t->table[number], entry, memory_order_release);
    return entry;
}

/* ---- translating --------------------------------------------------------------------------------------- */

enum { LEADER = 1, SEEN = 2 };

typedef struct session {
    struct translation *t;
    emitter e;
    space *space;
    uint8_t *marks;    /* of the space's instructions */
    uint32_t *waiting; /* leaders whose blocks are not translated yet */
    uint32_t waiting_count;
    uint32_t *code; /* of leaders: place in HOT, + 1 */
} session;

static void add_leader(session *s, uint32_t offset) {
    if (offset >= s->space->window || s->marks[offset] & LEADER) return;
    if (!s->space->instructions[offset].known) return; /* never code */
    s->marks[offset] |= LEADER;
    if (s->space->entry[offset] == s->t->miss) s->waiting[s->waiting_count++] = offset;
}

/* Whether a jump's target lies in this space for certain. */
static bool is_near(const session *s, uint16_t address) {
    return (address & ~(s->space->window - 1)) == s->space->base;
}

/* Find all leaders that can be reached inside the space. */
static void explore(session *s, uint32_t from) {
    add_leader(s, from);
    while (s->waiting_count) {
        uint32_t i = s->waiting[--s->waiting_count];
        while (i < s->space->window && !(s->marks[i] & SEEN)) {
            const instruction *op = &s->space->instructions[i];
            s->marks[i] |= SEEN;
            if (op->known && is_branch(op)) add_leader(s, op->operand);
            if (op->known && op->place == IS_TARGET && !is_branch(op) && is_near(s, op->operand))
                add_leader(s, op->operand & (s->space->window - 1));
            if (op->operation == OP_JSR || !op->known) add_leader(s, i + op->length);
            if (op->operation == OP_BRK) add_leader(s, i + 2u); /* RTI comes back there */
            if (ends(op)) break;
            i += op->length;
            /* Code that exists is joined, not made again. */
            if (i < s->space->window && s->space->entry[i] != s->t->miss) {
                s->marks[i] |= LEADER;
                break;
            }
        }
    }
}

/* Code from a leader on, up to a jump or to where other code goes on. */
static void emit_stretch(session *s, uint32_t i) {
    emitter *e = &s->e;
    e->now = (lazy_state){0};
    for (bool open = true; open; i += s->space->instructions[i].length) {
        const instruction *op = &s->space->instructions[i];
        e->offset = i;
        if (s->marks[i] & LEADER) {
            emit_flush(e);
            if (s->code[i] || s->space->entry[i] != s->t->miss) {
                emit_jump(e, i);
                return;
            }
            s->code[i] = e->buffer[HOT].size + 1;
            emit_leader(e);
        }
        if (op->check) emit_check(e);
        open = emit_instruction(e, op);
        if (open && i + op->length == s->space->window) { /* the next slice, whichever that is */
            emit_flush(e);
            emit_far_jump(e, (uint16_t)(s->space->base + s->space->window));
            return;
        }
    }
}

static void emit_stretches(session *s, uint32_t window) {
    for (uint32_t i = 0; i < window; i++)
        if (s->marks[i] & LEADER && !s->code[i] && s->space->entry[i] == s->t->miss) emit_stretch(s, i);
}

/* Lay HOT and COLD behind the code there is. */
static bool lay_out(session *s) {
    struct translation *t = s->t;
    emitter *e = &s->e;
    const uint32_t base[BUFFERS] = {(uint32_t)t->memory.used, (uint32_t)t->memory.used + e->buffer[HOT].size};
    for (uint32_t i = 0; i < e->fixup_count; i++) {
        const fixup *f = &e->fixups[i];
        uint32_t target = f->target;
        if (f->kind == TO_BUFFER) target += base[f->to];
        if (f->kind == TO_LEADER)
            target = s->code[target] ? base[HOT] + s->code[target] - 1
                                     : (uint32_t)((uint8_t *)s->space->entry[target] - t->memory.base);
        if (!host_fix(e->buffer[f->from].bytes + f->at, base[f->from] + f->at, target)) return false;
    }
    uint32_t cold = e->buffer[COLD].size;
    e->into = HOT;
    uint8_t *end = emit_space(e, cold);
    if (e->failed) return false;
    if (cold) memcpy(end, e->buffer[COLD].bytes, cold);
    return executable_append(&t->memory, e->buffer[HOT].bytes, e->buffer[HOT].size);
}

/* Make the code that can be reached from an offset of a space: `base` + code - 1 of each leader with `code`.  False: it
 * cannot be made. */
static bool make_code(session *s, struct translation *t, space *where, uint32_t from, const uint8_t **base) {
    const uint32_t window = where->window;
    *s = (session){
        .t = t,
        .space = where,
        .marks = calloc(1, window),
        .waiting = malloc(window * sizeof(uint32_t)),
        .code = calloc(window, sizeof(uint32_t)),
        .e = {.rom = t->rom, .code = t->code, .tables = (void ***)t->table, .stub = t->stub, .space = where},
    };
    if (!s->marks || !s->waiting || !s->code) return false;
    explore(s, from);
    emit_stretches(s, window);
    *base = t->memory.base + t->memory.used;
    return !s->e.failed;
}

static void session_end(session *s) {
    emitter_free(&s->e);
    free(s->marks);
    free(s->waiting);
    free(s->code);
}

static void publish(void **entry, const uint8_t *code) {
    atomic_store_explicit((_Atomic(void *) *)entry, (void *)code, memory_order_release);
}

/* Translate what can be reached from an address; false when that cannot be. */
static bool translate(struct translation *t, uint32_t bank, uint16_t address) {
    if (!open_space(t, bank, address)) return false;
    space *where = &t->space[space_number(t->code, bank, address)];
    session s;
    const uint8_t *base;
    const bool done = make_code(&s, t, where, address & (where->window - 1), &base) && lay_out(&s);
    for (uint32_t i = 0; done && i < where->window; i++)
        if (s.code[i]) publish(&where->entry[i], base + s.code[i] - 1);
    session_end(&s);
    return done;
}

/* ---- code in RAM --------------------------------------------------------------------------------------- */

/* Code for the bytes that are there now; NULL where there is none. */
static void *find_ram_entry(struct translation *t, const uint8_t *ram, uint32_t offset) {
    const ram_entry *r = atomic_load_explicit(&t->ram_found[offset], memory_order_acquire);
    for (; r; r = r->next)
        if (memcmp(r->bytes, ram + offset, r->fixed) == 0) return r->code;
    return NULL;
}

static void add_ram_entry(struct translation *t, const space *where, uint32_t offset, const uint8_t *code) {
    ram_entry *r = &t->ram_entries[t->ram_entry_count++];
    *r = (ram_entry){.fixed = where->instructions[offset].fixed,
                     .code = (void *)code,
                     .next = atomic_load_explicit(&t->ram_found[offset], memory_order_relaxed)};
    memcpy(r->bytes, where->ram + offset, r->fixed);
    atomic_store_explicit(&t->ram_found[offset], r, memory_order_release);
    publish(&t->ram_latest[offset], code);
}

/* Translate what can be reached from an offset of RAM.  False: there is no room for more. */
static bool translate_ram(struct translation *t, const uint8_t *ram, uint32_t from) {
    instruction decoded[RAM_SIZE];
    for (uint32_t k = 0; k < RAM_SIZE; k++) cpu_decode_ram(ram, k, &decoded[k]);
    space where = {.instructions = decoded, .window = RAM_SIZE, .base = 0x80, .entry = t->nowhere, .ram = ram};
    session s = {0};
    const uint8_t *base;
    const size_t used = t->memory.used;
    bool done = place_checks(decoded, RAM_SIZE) && make_code(&s, t, &where, from, &base);
    unsigned entries = t->ram_entry_count;
    for (uint32_t i = 0; done && i < RAM_SIZE; i++) entries += s.code[i] != 0;
    const size_t size = (size_t)s.e.buffer[HOT].size + s.e.buffer[COLD].size;
    done = done && entries <= RAM_ENTRIES && executable_pages(size) <= t->ram_room && lay_out(&s);
    for (uint32_t i = 0; done && i < RAM_SIZE; i++)
        if (s.code[i]) add_ram_entry(t, &where, i, base + s.code[i] - 1);
    session_end(&s);
    t->ram_room -= t->memory.used - used;
    return done;
}

/* The code at a program counter in RAM, made if need be; NULL where there is none. */
static void *find_ram_code(struct translation *t, const console *machine) {
    const uint8_t *ram = machine->s.ram;
    const uint32_t offset = machine->s.cpu.pc & (RAM_SIZE - 1);
    instruction first;
    void *found = find_ram_entry(t, ram, offset);
    if (found || t->code->by_address || atomic_load_explicit(&t->ram_full, memory_order_relaxed)) return found;
    if (!cpu_decode_ram(ram, offset, &first) || !os_mutex_try(&t->lock)) return NULL;
    found = find_ram_entry(t, ram, offset); /* it may have come in the meantime */
    if (!found && translate_ram(t, ram, offset))
        found = find_ram_entry(t, ram, offset);
    else if (!found)
        atomic_store(&t->ram_full, true);
    os_mutex_unlock(&t->lock);
    return found;
}

/* ---- building ------------------------------------------------------------------------------------------ */

static bool make_stubs(struct translation *t) {
    emitter e = {.rom = t->rom, .code = t->code};
    void *functions[HELPERS];
    memcpy(functions, help_functions, sizeof functions);
    host_stubs(&e, functions);
    bool done = !e.failed && executable_append(&t->memory, e.buffer[HOT].bytes, e.buffer[HOT].size);
    t->stub = e.stub;
    emitter_free(&e);
    return done;
}

/* ALE_TRANSLATE=0 in the environment switches translation off, and so does the build option. */
static bool is_wanted(void) {
#ifdef ALE_NO_TRANSLATION
    return false;
#else
    const char *says = getenv("ALE_TRANSLATE");
    return !says || strcmp(says, "0") != 0;
#endif
}

static void translator_release(void *prepared) {
    struct translation *t = prepared;
    if (!t) return;
    executable_release(&t->memory);
    for (uint32_t i = 0; t->bank && i < t->code->banks; i++) free(t->bank[i]);
    for (uint32_t i = 0; t->space && i < t->spaces; i++) free(t->space[i].entry);
    free(t->bank);
    free(t->space);
    free(t->table);
    free(t->nowhere);
    os_mutex_destroy(&t->lock);
    free(t);
}

static void *translator_prepare(const rom_image *rom) {
    const cpu_code *code = rom->prepared[THREADED_CORE];
    if (!host_translates || !code || !is_wanted()) return NULL;
    struct translation *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->rom = rom;
    t->code = code;
    t->spaces = space_count(code);
    t->bank = calloc(code->banks, sizeof *t->bank);
    t->space = calloc(t->spaces, sizeof *t->space);
    t->table = malloc((t->spaces + 1) * sizeof *t->table);
    t->nowhere = malloc(code->window * sizeof *t->nowhere);
    size_t room = (size_t)ROOM_PER_BYTE * code->banks * code->window + 65536 + ROOM_FOR_RAM;
    if (!os_mutex_init(&t->lock)) {
        free(t->bank), free(t->space), free(t->table), free(t->nowhere), free(t);
        return NULL;
    }
    if (!t->bank || !t->space || !t->table || !t->nowhere || !executable_reserve(&t->memory, room) ||
        !make_stubs(t)) {
        translator_release(t);
        return NULL;
    }
    t->miss = t->memory.base + t->stub.miss;
    for (uint32_t i = 0; i < code->window; i++) t->nowhere[i] = t->miss;
    for (uint32_t i = 0; i < t->spaces; i++) atomic_init(&t->table[i], t->nowhere);
    for (uint32_t i = 0; i < RAM_SIZE; i++) t->ram_latest[i] = t->miss;
    atomic_init(&t->table[t->spaces], t->ram_latest);
    t->ram_room = ROOM_FOR_RAM;
    return t;
}

/* ---- running ------------------------------------------------------------------------------------------- */

/* The code at the program counter, made if need be; NULL where there is none. */
static void *find_code(struct translation *t, const console *machine) {
    const cpu_code *code = t->code;
    const uint16_t pc = machine->s.cpu.pc;
    if (cpu_is_ram_code(pc)) return find_ram_code(t, machine);
    if (!(pc & 0x1000)) return NULL;
    const uint32_t offset = pc & (code->window - 1), bank = bank_at(machine, code, pc);
    const uint32_t number = space_number(code, bank, pc);
    for (int again = 0;; again++) {
        void **entry = atomic_load_explicit(&t->table[number], memory_order_acquire);
        void *found = atomic_load_explicit((_Atomic(void *) *)&entry[offset], memory_order_acquire);
        if (found != t->miss) return found;
        if (again || !os_mutex_try(&t->lock)) return NULL; /* another thread is at it */
        /* It may have come in the meantime. */
        bool there = t->space[number].entry && t->space[number].entry[offset] != t->miss;
        bool possible = there || !t->bank[bank] || t->bank[bank][offset].known;
        if (possible && !there && !translate(t, bank, pc)) atomic_store(&t->broken, true);
        os_mutex_unlock(&t->lock);
        if (!possible) return NULL;
    }
}

/* It counts no instructions: the budget is not used, or all of it, when the frame has become so long that its
 * time must be watched.  It is entered at the start of a frame and where it left off. */
static uint32_t translator_run(console *machine, void *prepared, uint32_t budget) {
    struct translation *t = prepared;
    cpu_state *cpu = &machine->s.cpu;
    translated_registers *r = &machine->translated;
    uint32_t limit = machine->limit_time - MARGIN;
    r->limit = limit << 16;
    for (;;) {
        if (cpu->time >= limit) break;
        if (!tia_make_room(machine, MOST_ENTRIES + 1)) break;
        void *code = find_code(t, machine);
        if (!code && atomic_load_explicit(&t->broken, memory_order_relaxed)) break;
        if (!code) return 0;
        r->log_limit = machine->log.full - MOST_ENTRIES;
        r->nz = cpu->z | (cpu->n & 0x80u) << 1;
        uint32_t how = host_enter(t->memory.base, machine->s.ram, code);
        cpu->z = (uint8_t)r->nz;
        cpu->n = r->nz & 0x180 ? 0x80 : 0;
        if (machine->s.tia.stop || (how & EXIT_MASK) == EXIT_LEAVE) return 0;
    }
    machine->shadow.in_force = 0; /* from here on all is logged */
    return budget;
}

const cpu_engine translator = {translator_prepare, translator_run, translator_release};
