/* A runtime of two functions that do nothing. The first begins with the function's only work, an instruction that the
 * kernel single-steps and that no probe may move past; the second with one that it emulates. */
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".p2align 4\n.globl cudaFree\n.type cudaFree, @function\n"
    "cudaFree: xor %eax, %eax\nret\n.size cudaFree, .-cudaFree\n"
    ".p2align 4\n.globl cudaDeviceSynchronize\n.type cudaDeviceSynchronize, @function\n"
    "cudaDeviceSynchronize: push %rbp\nxor %eax, %eax\npop %rbp\nret\n"
    ".size cudaDeviceSynchronize, .-cudaDeviceSynchronize\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".p2align 4\n.globl cudaFree\n.type cudaFree, %function\n"
    "cudaFree: mov w0, wzr\nret\n.size cudaFree, .-cudaFree\n"
    ".p2align 4\n.globl cudaDeviceSynchronize\n.type cudaDeviceSynchronize, %function\n"
    "cudaDeviceSynchronize: b 1f\n1: mov w0, wzr\nret\n.size cudaDeviceSynchronize, .-cudaDeviceSynchronize\n");
#endif
