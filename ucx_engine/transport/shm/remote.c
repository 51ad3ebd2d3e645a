/* remote.c - reads memory of other processes by process_vm_readv; see remote.h. */
#include "transport/shm/remote.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- permission ---- */

void irr_remote_offer(uint64_t *word, irr_remote_handle_t *handle)
{
    if (*word == 0) {
        if (getrandom(word, sizeof(*word), GRND_NONBLOCK) != (ssize_t)sizeof(*word)) {
            *word = 0;   /* irr_remote_works does not accept 0 */
        }
        (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);   /* an error means that Yama is not active, so no
                                                                       permission is needed */
    }
    *handle = (irr_remote_handle_t){ .process = (uint64_t)getpid(), .address = (uintptr_t)word, .word = *word };
}

bool irr_remote_works(const irr_remote_handle_t *handle)
{
    uint64_t word = 0;
    struct iovec to = { .iov_base = &word, .iov_len = sizeof(word) };
    struct iovec from = { .iov_base = (void *)(uintptr_t)handle->address, .iov_len = sizeof(word) };

    return handle->word != 0 && irr_remote_read(handle->process, &to, &from, 1) == IRR_OK && word == handle->word;
}

/* ---- pieces ---- */

/* Skips `bytes` copied bytes from piece `first` on. Returns the index of the first piece that is not complete. */
static size_t skip(struct iovec *to, struct iovec *from, size_t first, size_t bytes)
{
    while (bytes > 0 && bytes >= to[first].iov_len) {
        bytes -= to[first++].iov_len;
    }
    if (bytes > 0) {
        to[first] = (struct iovec){ (char *)to[first].iov_base + bytes, to[first].iov_len - bytes };
        from[first] = (struct iovec){ (char *)from[first].iov_base + bytes, to[first].iov_len };
    }
    return first;
}

irr_status_t irr_remote_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count)
{
    size_t first = 0;

    while (first < count) {
        const ssize_t bytes =
            process_vm_readv((pid_t)process, to + first, count - first, from + first, count - first, 0);

        if (bytes <= 0 && !(bytes < 0 && errno == EINTR)) {
            return bytes < 0 && errno == ESRCH ? IRR_ERR_PEER : IRR_ERR_NOT_SUPPORTED;
        }
        first = skip(to, from, first, bytes > 0 ? (size_t)bytes : 0);
    }
    return IRR_OK;
}
