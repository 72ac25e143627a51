/* products.h - the products, one a line, for everything in C that plays one:
 * X(id, name, generation of the memory module, coherent link to the host, accelerators that reach host
 * memory, bytes of the heap for image memory, window of host memory at device addresses, 1/n of a
 * device's memory that is shown as small pages)
 *
 * Accelerators are bits by enum drvAccModuleType: PCIe lets scheduler and vector cores through, a
 * coherent link also the cube cores, PCIe DMA, RDMA, SDMA and image processing. */
X(910B, "ascend910b", 2, false, 0x009, UINT64_C(4) << 30, true, 8)
X(910_93, "ascend910_93", 2, true, 0x0fd, UINT64_C(4) << 30, true, 8)
X(950, "ascend950", 3, false, 0x009, 0, false, 8)
