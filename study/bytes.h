/*
 * bytes.h - the bytes of a message, which follow from a key: whoever knows the key can write the message, and see which
 * of its bytes are wrong.  Values are made eight bytes at a time; all ranks must have one byte order.
 */
#ifndef IRR_BYTES_H
#define IRR_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Writes a message; flip: 0, or all ones for its complement, in which every byte is wrong. */
void irr_bytes_write(unsigned char *bytes, size_t length, uint64_t key, uint64_t flip);

/* How many bytes are right before the first wrong one; length: all of them. */
size_t irr_bytes_right(const unsigned char *bytes, size_t length, uint64_t key);

/* One byte of a message. */
unsigned char irr_bytes_at(uint64_t key, size_t at);

#endif
