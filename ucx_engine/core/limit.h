/* limit.h - the text of an error of a system call, which names the limit of the process that causes the error. */
#ifndef IRR_LIMIT_H
#define IRR_LIMIT_H

/* A part of a message of one line. */
typedef struct irr_cause {
    char text[128];
} irr_cause_t;

/*
 * Describes a value of errno. If a limit of the process explains the error, the text names the limit and its value, for
 * example "a file may have at most 65536 bytes (ulimit -f)". Otherwise it is the text of strerror.
 */
irr_cause_t irr_limit_cause(int error);

#endif
