/*
 * mpi_device.h - buffers of the MPI tests in memory of an accelerator.
 *
 * IRR_TEST_DEVICE selects the buffers of mpi_call.h that are in device memory: `send`, `recv`, `both`, or `mixed`, a
 * random half of the buffers.  The memory comes from Open MPI's accelerator framework, by default from the component of
 * accelerator.c, whose memory no processor may access.  Open MPI 4.1 has no such framework.
 */
#ifndef MPI_DEVICE_H
#define MPI_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#define MPI_DEVICE_ENVIRONMENT "IRR_TEST_DEVICE"

/*
 * Returns device memory if the environment selects this buffer, otherwise NULL.  sends: the buffer is a send buffer.
 * seed: decides with `mixed`.
 */
char *mpi_device_take(size_t bytes, int sends, uint64_t seed);
void  mpi_device_give(char *device);

/* Copies between device memory and memory of the host. */
void mpi_device_copy(void *to, const void *from, size_t bytes);

#endif
