/* Memory between pages that nobody may touch, for tests of machine code, into which no sanitizer looks: all that the
 * library allocates ends at such a page or begins after one, in turns.  Linked into tests that exist without it, with
 * malloc, calloc, realloc and free sent here. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 1 << 14, ALIGNMENT = 8 };

typedef struct block {
    uint8_t *memory, *pages; /* as given out; with the guards.  NULL: a free entry */
    size_t size, mapped;
} block;

static block blocks[MOST];
static uint32_t turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *__real_malloc(size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *memory);

/* Entries are looked at from one that follows from the address; freed ones leave gaps. */
static block *find(const void *memory) {
    block *b = &blocks[(uintptr_t)memory / ALIGNMENT % MOST];
    for (uint32_t i = 0; i < MOST; i++, b = b + 1 < blocks + MOST ? b + 1 : blocks)
        if (b->memory == memory) return b;
    return NULL;
}

static block *find_room(const void *memory) {
    block *b = &blocks[(uintptr_t)memory / ALIGNMENT % MOST];
    for (uint32_t i = 0; i < MOST; i++, b = b + 1 < blocks + MOST ? b + 1 : blocks)
        if (!b->memory) return b;
    return NULL;
}

void *__wrap_malloc(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (size + page) / page * page, mapped = inner + 2 * page;
    uint8_t *pages = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    mprotect(pages + page, inner, PROT_READ | PROT_WRITE);
    pthread_mutex_lock(&lock);
    const size_t taken = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint8_t *memory = pages + page + (turn++ % 2 ? 0 : inner - taken);
    block *b = find_room(memory);
    if (b) *b = (block){memory, pages, size, mapped};
    pthread_mutex_unlock(&lock);
    if (b) return memset(memory, 0xA5, size);
    munmap(pages, mapped);
    return NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    void *memory = __wrap_malloc(count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void __wrap_free(void *memory) {
    if (!memory) return;
    pthread_mutex_lock(&lock);
    block *b = find(memory), old = {0};
    if (b) {
        old = *b;
        b->memory = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (old.memory)
        munmap(old.pages, old.mapped);
    else
        __real_free(memory); /* not from here: posix_memalign's */
}

void *__wrap_realloc(void *old, size_t size) {
    void *memory = __wrap_malloc(size);
    if (!memory || !old) return memory;
    pthread_mutex_lock(&lock);
    const size_t before = find(old)->size;
    pthread_mutex_unlock(&lock);
    memcpy(memory, old, before < size ? before : size);
    __wrap_free(old);
    return memory;
}
