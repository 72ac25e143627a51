/*
 * harness.c - lets halcert speak with a driver over standard input and output (docs/exec.md).
 * It offers what the area vmm needs. For yours, put your functions into CALLS. Built against the
 * bundled software driver, from a working copy: cc -std=c11 -Iadapters/softhal -o harness
 * docs/examples/harness.c -Ladapters/softhal -lsofthal -Wl,-rpath,$PWD/adapters/softhal
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "softhal.h" /* the types and prototypes of the driver */

/* ------------------------------------------------ reading a message: JSON without white space */
static const char *args; /* the arguments of the call at hand */
static const char *after(const char *at) /* what comes after a value: a comma or a bracket */
{
    int depth = 0;
    do {
        if (*at == '"')
            while (*++at != '"')
                at += *at == '\\';
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    } while (*at && (depth > 0 || !strchr(",]}", *at)));
    return at;
}

static const char *member(const char *object, const char *name) /* a member of an object, or null */
{
    size_t length = strlen(name);
    for (const char *at = object + 1; *object == '{' && *at == '"'; at += *at == ',') {
        if (strncmp(at + 1, name, length) == 0 && at[length + 1] == '"')
            return at + length + 3;
        at = after(strchr(at, ':') + 1);
    }
    return "null";
}

static uint64_t in(const char *object, const char *name)
{
    return strtoull(member(object, name), NULL, 10);
}
#define N(name) in(args, name) /* an argument as a number, */
#define U(name) (uint32_t)in(args, name)
#define P(name) ((void *)(uintptr_t)in(args, name)) /* and as a pointer */

/* -------------------------------------------------------------------------- writing an answer */
static int outputs, placed;
static struct place { const char *name; uint64_t value; int given; } places[4];

static void output(const char *name)
{
    printf("%s\"%s\":", outputs++ ? "," : "", name);
}

/* A place for a number that a call gives (64 bits wide in all calls below), or NULL if halcert
 * wants NULL to be passed. It holds 0xA5 in every byte: halcert sees what the driver left alone. */
static void *place(const char *name)
{
    places[placed] = (struct place){name, 0xA5A5A5A5A5A5A5A5u, *member(args, name) == 't'};
    return places[placed++].given ? &places[placed - 1].value : NULL;
}

/* ----------------------------------------------------- what a program does without the driver */
enum { HEAD = 65536 }; /* bytes in front of each mapping, to remember its size */

static int host_map(void)
{
    size_t size = N("size") + HEAD;
    char *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
        return errno;
    ((size_t *)(void *)(found + HEAD))[-1] = size;
    output("address");
    printf("%" PRIuPTR, (uintptr_t)found + HEAD);
    return 0;
}

static int host_store(void) /* the bytes of a pattern, as docs/exec.md defines them */
{
    uint8_t *to = P("address");
    uint64_t size = N("size"), from = N("offset"), start = N("pattern") * 0x1000000000001u;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t word = ((from + i) / 8 + start) * 0x9E3779B97F4A7C15u;
        word = (word ^ word >> 32) * 0xD6E8FEB86659FD93u;
        to[i] = (uint8_t)((word ^ word >> 32) >> 8 * ((from + i) % 8));
    }
    return 0;
}

static int host_load(void) /* gives the bytes in hexadecimal */
{
    const uint8_t *from = P("address"), *end = from + N("size");
    for (output("data"), putchar('"'); from < end; from++)
        putchar("0123456789abcdef"[*from >> 4]), putchar("0123456789abcdef"[*from & 15]);
    putchar('"');
    return 0;
}

/* --------------------------------------------------------------------- the calls of the driver */
#define in32(object, name) (uint32_t)in(object, name)
static struct drv_mem_prop *properties(struct drv_mem_prop *into)
{
    const char *from = member(args, "prop"); /* null stands for NULL */
    *into = (struct drv_mem_prop){in32(from, "side"), in32(from, "devid"), in32(from, "module_id"),
                                  in32(from, "pg_type"), in32(from, "mem_type"), in(from, "reserve")};
    return *from == 'n' ? NULL : into;
}

static int give_properties(void)
{
    struct drv_mem_prop p, *into = *member(args, "prop") == 't' ? &p : NULL;
    memset(&p, 0xA5, sizeof(p));
    int code = halMemGetAllocationPropertiesFromHandle(into, P("handle"));
    output("prop");
    printf(into ? "{\"side\":%u,\"devid\":%u,\"module_id\":%u,\"pg_type\":%u,\"mem_type\":%u,\"reserve\":%" PRIu64 "}"
                : "null", p.side, p.devid, p.module_id, p.pg_type, p.mem_type, p.reserve);
    return code;
}

static int set_access(void)
{
    struct drv_mem_access_desc desc[64] = {0};
    const char *list = member(args, "desc");
    size_t count = 0;
    for (const char *at = list + 1; *list == '[' && *at == '{' && count < 64; at = after(at), at += *at == ',')
        desc[count++] = (struct drv_mem_access_desc){(drv_mem_access_type)in(at, "type"),
                                                     {in32(at, "id"), in32(at, "side")}, {0}};
    return halMemSetAccess(P("ptr"), N("size"), *list == '[' ? desc : NULL, N("count"));
}

static struct drv_mem_location *location(struct drv_mem_location *into)
{
    const char *from = member(args, "location");
    *into = (struct drv_mem_location){in32(from, "id"), in32(from, "side")};
    return *from == 'n' ? NULL : into;
}

#define CALLS(X) /* name of the interface, what makes the call and gives its code */ \
    X("host.map", host_map()) \
    X("host.unmap", munmap((char *)P("address") - HEAD, ((size_t *)P("address"))[-1]) ? errno : 0) \
    X("host.store", host_store()) \
    X("host.fill", (memset(P("address"), (int)N("value"), N("size")), 0)) \
    X("host.load", host_load()) \
    X("halMemAgentOpen", halMemAgentOpen(U("devid"), U("flag"))) \
    X("halMemAgentClose", halMemAgentClose(U("devid"), U("flag"))) \
    X("halMemAlloc", halMemAlloc(place("pp"), N("size"), N("flag"))) \
    X("halMemFree", halMemFree(P("pp"))) \
    X("drvMemsetD8", drvMemsetD8(N("dst"), N("destMax"), (uint8_t)N("value"), N("num"))) \
    X("drvMemcpy", drvMemcpy(N("dst"), N("dest_max"), N("src"), N("byte_count"))) \
    X("halMemAddressReserve", halMemAddressReserve(place("ptr"), N("size"), N("alignment"), P("addr"), N("flag"))) \
    X("halMemAddressFree", halMemAddressFree(P("ptr"))) \
    X("halMemGetAddressReserveRange", halMemGetAddressReserveRange(place("ptr"), place("size"), U("type"), N("flag"))) \
    X("halMemCreate", halMemCreate(place("handle"), N("size"), properties(&prop), N("flag"))) \
    X("halMemRelease", halMemRelease(P("handle"))) \
    X("halMemMap", halMemMap(P("ptr"), N("size"), N("offset"), P("handle"), N("flag"))) \
    X("halMemUnmap", halMemUnmap(P("ptr"))) \
    X("halMemSetAccess", set_access()) \
    X("halMemGetAccess", halMemGetAccess(P("ptr"), location(&where), place("flags"))) \
    X("halMemRetainAllocationHandle", halMemRetainAllocationHandle(place("handle"), P("ptr"))) \
    X("halMemGetAllocationGranularity", \
      halMemGetAllocationGranularity(properties(&prop), U("option"), place("granularity"))) \
    X("halMemGetAllocationPropertiesFromHandle", give_properties())

static int made(const char *name)
{
    struct drv_mem_prop prop;
    struct drv_mem_location where;
#define MAKE(interface, call) if (strcmp(name, interface) == 0) return (int)(call);
    CALLS(MAKE)
    return -1; /* halcert asks only for what the first line names */
}

int main(void)
{
    char *line = NULL, name[64] = "";
    size_t room = 0;
    uint32_t devices = 0;
    drvGetDevNum(&devices);
    printf("{\"format\":\"halcert-exec/1\",\"name\":\"C example\",\"devices\":%u,\"interfaces\":[", devices);
#define TELL(interface, call) printf("%s\"%s\"", outputs++ ? "," : "", interface);
    CALLS(TELL)
    puts("]}");
    while (fflush(stdout) == 0 && getline(&line, &room, stdin) > 0) {
        sscanf(member(line, "interface"), "\"%63[^\"]", name);
        args = member(line, "args");
        printf("{\"number\":%" PRIu64 ",\"out\":{", in(line, "number"));
        outputs = placed = 0;
        int code = made(name);
        for (int i = 0; i < placed; i++)
            output(places[i].name), printf(places[i].given ? "%" PRIu64 : "null", places[i].value);
        printf("},\"code\":%d}\n", code);
    }
    return 0;
}
