/* In the place of templates, where the host is of a kind that has none: nothing is translated. */
#include "../emitter.h"

#ifndef HOST

const bool host_translates = false;

void host_stubs(emitter *e, void *const helpers[HELPERS]) { (void)e, (void)helpers; }
bool host_fix(uint8_t *at, uint32_t from, uint32_t target) {
    (void)at, (void)from, (void)target;
    return false;
}
void emit_leader(emitter *e) { (void)e; }
void emit_check(emitter *e) { (void)e; }
void emit_jump(emitter *e, uint32_t offset) { (void)e, (void)offset; }
void emit_far_jump(emitter *e, uint16_t address) { (void)e, (void)address; }
void emit_flush(emitter *e) { (void)e; }
bool emit_instruction(emitter *e, const instruction *i) {
    (void)e, (void)i;
    return false;
}
uint32_t host_enter(const uint8_t *region, uint8_t *ram, const void *code) {
    (void)region, (void)ram, (void)code;
    return EXIT_LEAVE;
}

#endif
