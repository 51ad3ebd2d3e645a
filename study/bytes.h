/*
 * bytes.h - the bytes of a message, which follow from a key.  A rank that knows the key can write the message, and find
 * its wrong bytes.  Values are made eight bytes at a time, so all ranks must have the same byte order.
 */
#ifndef IRR_BYTES_H
#define IRR_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Writes a message. flip: 0, or all ones for the complement, in which every byte is wrong. */
void irr_bytes_write(unsigned char *bytes, size_t length, uint64_t key, uint64_t flip);

/* Returns the number of right bytes before the first wrong byte; length if no byte is wrong. */
size_t irr_bytes_right(const unsigned char *bytes, size_t length, uint64_t key);

/* Returns one byte of a message. */
unsigned char irr_bytes_at(uint64_t key, size_t at);

#endif
