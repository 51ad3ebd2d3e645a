/*
 * core.c - status texts, memory and log lines, which every part of the engine uses.
 *
 * The logger and the allocator are global. The program that calls the engine sets them before it calls any other
 * function, so they need no lock. irr_log_keep affects only the thread that calls it.
 */
#include "core/alloc.h"
#include "core/log.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 1024

static irr_allocator_t allocator = { malloc, realloc, free };

static struct {
    irr_log_fn_t    fn;
    void           *context;
    irr_log_level_t max_level;
    const char     *prefix;   /* precedes the name of a setting in a log line, e.g. "coll_irr_" */
} logger = { .prefix = "" };

/* The arguments of irr_log_keep, for this thread. */
static _Thread_local struct {
    char  *line;
    size_t bytes;
} kept;

const char *irr_status_text(irr_status_t status)
{
    switch (status) {
#define STATUS_CASE(name, value, text) case name: return text;
        IRR_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

void irr_allocator_set(const irr_allocator_t *replacement)
{
    static const irr_allocator_t standard = { malloc, realloc, free };

    allocator = replacement != NULL ? *replacement : standard;
}

/* Returns the length of an array in bytes; at least 1, because malloc(0) may return NULL; 0: overflow. */
static size_t array_bytes(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        return 0;
    }
    return bytes > 0 ? bytes : 1;
}

void *irr_alloc(size_t count, size_t size)
{
    size_t bytes = array_bytes(count, size);

    return bytes > 0 ? allocator.alloc(bytes) : NULL;
}

void *irr_alloc_zero(size_t count, size_t size)
{
    void *memory = irr_alloc(count, size);

    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void *irr_resize(void *memory, size_t count, size_t size)
{
    size_t bytes = array_bytes(count, size);

    return bytes > 0 ? allocator.resize(memory, bytes) : NULL;
}

irr_status_t irr_grow(void *pointer, size_t *max, size_t wanted, size_t size)
{
    size_t larger = wanted > 2 * *max ? wanted : 2 * *max;
    void *array, *grown;

    if (wanted <= *max) {
        return IRR_OK;
    }
    memcpy(&array, pointer, sizeof(array));
    grown = irr_resize(array, larger, size);
    if (grown == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memcpy(pointer, &grown, sizeof(grown));
    *max = larger;
    return IRR_OK;
}

irr_status_t irr_trim(void *pointer, size_t *max, size_t count, size_t size)
{
    void *array, *shorter = NULL;

    if (count >= *max) {
        return IRR_OK;
    }
    memcpy(&array, pointer, sizeof(array));
    if (count == 0) {
        irr_free(array);
    } else {
        shorter = irr_resize(array, count, size);
        if (shorter == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
    }
    memcpy(pointer, &shorter, sizeof(shorter));
    *max = count;
    return IRR_OK;
}

irr_status_t irr_renew(void *pointer, size_t *max, size_t wanted)
{
    void *memory;

    if (wanted <= *max) {
        return IRR_OK;
    }
    memcpy(&memory, pointer, sizeof(memory));
    irr_free(memory);
    memory = irr_alloc(wanted, 1);
    *max = memory != NULL ? wanted : 0;
    memcpy(pointer, &memory, sizeof(memory));
    return memory != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/* Adds the length of an array to *end, and rounds up to the alignment of any type. Returns false on overflow. */
static bool append(const irr_array_t *array, size_t *end)
{
    const size_t alignment = alignof(max_align_t);
    size_t bytes;

    if (__builtin_mul_overflow(array->count, array->size, &bytes) || __builtin_add_overflow(*end, bytes, end) ||
        __builtin_add_overflow(*end, alignment - 1, end)) {
        return false;
    }
    *end -= *end % alignment;
    return true;
}

irr_status_t irr_alloc_arrays(const irr_array_t *arrays, size_t count)
{
    size_t bytes = 0, begin = 0;
    char *memory;

    for (size_t i = 0; i < count; i++) {
        if (!append(&arrays[i], &bytes)) {
            return IRR_ERR_NO_MEMORY;
        }
    }
    memory = irr_alloc_zero(bytes, 1);
    if (memory == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        void *at = memory + begin;

        memcpy(arrays[i].pointer, &at, sizeof(at));
        append(&arrays[i], &begin);
    }
    return IRR_OK;
}

void irr_free(void *memory)
{
    allocator.free(memory);
}

void irr_log_set(irr_log_fn_t fn, void *context, irr_log_level_t max_level)
{
    logger.fn = fn;
    logger.context = context;
    logger.max_level = max_level;
}

void irr_log_prefix_set(const char *prefix)
{
    logger.prefix = prefix;
}

const char *irr_log_prefix(void)
{
    return logger.prefix;
}

void irr_log_keep(char *line, size_t bytes)
{
    kept.line = line;
    kept.bytes = bytes;
    if (line != NULL) {
        line[0] = '\0';
    }
}

void irr_log_fit(char *to, size_t size, const char *text)
{
    static const char gap[] = "...";
    const size_t length = strlen(text), head = size / 3, tail = size - head - sizeof(gap);

    if (length < size) {
        memcpy(to, text, length + 1);
        return;
    }
    memcpy(to, text, head);
    memcpy(to + head, gap, sizeof(gap) - 1);
    memcpy(to + head + sizeof(gap) - 1, text + length - tail, tail + 1);
}

static void keep(const char *format, va_list arguments)
{
    if (kept.line[0] == '\0') {
        vsnprintf(kept.line, kept.bytes, format, arguments);
    }
}

void irr_log(irr_log_level_t level, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list arguments;

    if (level <= IRR_LOG_WARN && kept.line != NULL) {
        va_start(arguments, format);
        keep(format, arguments);
        va_end(arguments);
        return;
    }
    if (logger.fn == NULL || level > logger.max_level) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    logger.fn(logger.context, level, line);
}
