/*
 * bytes.h - computes the bytes of a test message from a key.  A rank that knows the key can write the message, and can
 * find wrong bytes in a received message.  Bytes are computed eight at a time, so all ranks must have the same byte
 * order.
 */
#ifndef IRR_BYTES_H
#define IRR_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Writes a message.  flip: 0, or all bits set to write the complement, in which every byte is wrong. */
void irr_bytes_write(unsigned char *bytes, size_t length, uint64_t key, uint64_t flip);

/* Returns the number of correct bytes before the first wrong byte, or `length` if all bytes are correct. */
size_t irr_bytes_right(const unsigned char *bytes, size_t length, uint64_t key);

/* Returns byte number `at` of a message. */
unsigned char irr_bytes_at(uint64_t key, size_t at);

#endif
