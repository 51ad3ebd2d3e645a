/*
 * irr_status.h - the results of functions of the engine: one enum, and its texts.
 */
#ifndef IRR_STATUS_H
#define IRR_STATUS_H

/* X(name, value, text): 0 is success, 1 means not done yet, negative values are errors. */
#define IRR_STATUS_MAP(X)                                                          \
    X(IRR_OK,                  0, "success")                                       \
    X(IRR_IN_PROGRESS,         1, "operation is still in progress")                \
    X(IRR_ERR_NO_MEMORY,      -1, "out of memory")                                 \
    X(IRR_ERR_BAD_PARAM,      -2, "value is not allowed here")                     \
    X(IRR_ERR_NOT_SUPPORTED,  -3, "not served here, another choice may serve it")  \
    X(IRR_ERR_TRUNCATE,       -4, "message is longer than its receive block")      \
    X(IRR_ERR_UNREACHABLE,    -5, "peer cannot be reached")                        \
    X(IRR_ERR_CANCELED,       -6, "operation was canceled")                        \
    X(IRR_ERR_TRANSPORT,      -7, "transport failed")                              \
    X(IRR_ERR_IO,             -8, "file cannot be read")                           \
    X(IRR_ERR_FORMAT,         -9, "file is malformed")                             \
    X(IRR_ERR_OOB,           -10, "out-of-band collective of the caller failed")   \
    X(IRR_ERR_INVALID_PLAN,  -11, "plan breaks a rule of plans")                   \
    X(IRR_ERR_TIMEOUT,       -12, "nothing happened within the time limit")        \
    X(IRR_ERR_PROTOCOL,      -13, "message of a peer is malformed")                \
    X(IRR_ERR_PEER,          -14, "a peer failed, and sent no data")

#define IRR_STATUS_ENUM(name, value, text) name = value,
typedef enum irr_status { IRR_STATUS_MAP(IRR_STATUS_ENUM) } irr_status_t;
#undef IRR_STATUS_ENUM

/* Returns the text of a status; never NULL, never freed. */
const char *irr_status_text(irr_status_t status);

#endif
