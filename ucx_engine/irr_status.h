/* irr_status.h - the results of functions of the engine, and a text for each result. */
#ifndef IRR_STATUS_H
#define IRR_STATUS_H

/* X(name, value, text). 0: success; 1: not complete yet; negative values: errors. */
#define IRR_STATUS_MAP(X)                                                          \
    X(IRR_OK,                  0, "success")                                       \
    X(IRR_IN_PROGRESS,         1, "operation is still in progress")                \
    X(IRR_ERR_NO_MEMORY,      -1, "out of memory")                                 \
    X(IRR_ERR_BAD_PARAM,      -2, "argument or setting is not valid")                      \
    X(IRR_ERR_NOT_SUPPORTED,  -3, "not supported with these settings")             \
    X(IRR_ERR_TRUNCATE,       -4, "message is longer than its receive block")      \
    X(IRR_ERR_UNREACHABLE,    -5, "peer cannot be reached")                        \
    X(IRR_ERR_CANCELED,       -6, "operation was canceled")                        \
    X(IRR_ERR_TRANSPORT,      -7, "transport failed")                              \
    X(IRR_ERR_IO,             -8, "file cannot be read")                           \
    X(IRR_ERR_FORMAT,         -9, "file is malformed")                             \
    X(IRR_ERR_OOB,           -10, "out-of-band collective of the caller failed")   \
    X(IRR_ERR_INVALID_PLAN,  -11, "plan is not valid")                             \
    X(IRR_ERR_TIMEOUT,       -12, "no answer within the time limit")               \
    X(IRR_ERR_PROTOCOL,      -13, "message of a peer is malformed")                \
    X(IRR_ERR_PEER,          -14, "another rank failed, or sent less data than expected")

#define IRR_STATUS_ENUM(name, value, text) name = value,
typedef enum irr_status { IRR_STATUS_MAP(IRR_STATUS_ENUM) } irr_status_t;
#undef IRR_STATUS_ENUM

/* Returns the text of a status. Never NULL; the text is static. */
const char *irr_status_text(irr_status_t status);

#endif
