//// map_memory
static int map_memory(size_t size, void **address)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    *address = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return *address == MAP_FAILED ? errno : 0;
}

//// unmap_memory
static int unmap_memory(void *address, size_t size)
{
    return munmap(address, size) == 0 ? 0 : errno;
}

//// fill_memory
static int fill_memory(void *address, size_t size, int value)
{
    memset(address, value, size);
    return 0;
}

//// pattern_byte
/* A byte of an endless stream that differs from its neighbours and from those of other patterns. */
static uint8_t pattern_byte(uint64_t pattern, uint64_t position)
{
    uint64_t word = position / 8 + pattern * PATTERN_STRIDE;
    word *= PATTERN_ODD;
    word ^= word >> 32;
    word *= PATTERN_MIX;
    word ^= word >> 32;
    return (uint8_t)(word >> 8 * (position % 8));
}

//// store_pattern: pattern_byte
static int store_pattern(void *address, size_t size, uint64_t pattern, uint64_t position)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)address)[i] = pattern_byte(pattern, position + i);
    return 0;
}

//// device_store: pattern_byte
/* What a program on a device stores; the library's agent makes the access for it. */
static drvError_t device_store(uint32_t device, DVdeviceptr address, size_t size, uint64_t pattern,
                               uint64_t position)
{
    drvError_t code = DRV_ERROR_NONE;
    for (size_t done = 0; done < size && code == DRV_ERROR_NONE; done += STORE_PART) {
        size_t part = size - done < STORE_PART ? size - done : STORE_PART;
        uint8_t *bytes = malloc(part);
        if (bytes == NULL)
            not_tried("no memory");
        for (size_t i = 0; i < part; i++)
            bytes[i] = pattern_byte(pattern, position + done + i);
        code = softhal_device_store(device, address + done, bytes, part);
        free(bytes);
    }
    return code;
}

//// load_memory
/* Reads every byte, so that memory which cannot be read is found out here. */
static int load_memory(const void *address, size_t size)
{
    for (size_t i = 0; i < size; i++)
        (void)((const volatile uint8_t *)address)[i];
    return 0;
}

//// wrong_bytes: fault
/* Tells where the wrong bytes are: from the first to the last, and how many are wrong. */
static void wrong_bytes(size_t first, size_t last, size_t count, size_t size, unsigned found,
                        unsigned instead, const char *rule)
{
    fault(rule, "%zu of %zu bytes are wrong, from %zu to %zu; byte %zu is %#04x, not %#04x", count,
          size, first, last, first, found, instead);
}

//// must_be_filled: wrong_bytes
static void must_be_filled(const void *address, size_t size, unsigned value, const char *rule)
{
    const uint8_t *bytes = address;
    size_t first = 0, last = 0, count = 0;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value) {
            first = count++ == 0 ? i : first;
            last = i;
        }
    if (count > 0)
        wrong_bytes(first, last, count, size, bytes[first], value, rule);
}

//// must_be_pattern: wrong_bytes pattern_byte
static void must_be_pattern(const void *address, size_t size, uint64_t pattern, uint64_t position,
                            const char *rule)
{
    const uint8_t *bytes = address;
    size_t first = 0, last = 0, count = 0;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != pattern_byte(pattern, position + i)) {
            first = count++ == 0 ? i : first;
            last = i;
        }
    if (count > 0)
        wrong_bytes(first, last, count, size, bytes[first],
                    pattern_byte(pattern, position + first), rule);
}
