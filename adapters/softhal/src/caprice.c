/* caprice.c - habits and whims: numbers from the seed of SOFTHAL_CAPRICE. */
#include <stdatomic.h>

#include "caprice.h"

/* Places of what is settled, beside the habits. */
enum { READINGS = 256, SIZES = 512 };

/* Every number of the sequence is made from its place, so threads and signal handlers need no lock. */
static atomic_uint_least64_t turn;

/* splitmix64 (Steele, Lea, Flood 2014): neighbouring places give unrelated numbers. */
static uint64_t mixed(uint64_t place)
{
    uint64_t number = place * 0x9e3779b97f4a7c15ULL;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9ULL;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebULL;
    return number ^ (number >> 31);
}

static bool is_on(void)
{
    return config_get()->capricious;
}

static uint64_t settled(const struct config *config, unsigned what)
{
    return mixed(mixed(config->caprice + 1ULL) + what);
}

static uint64_t next(void)
{
    return mixed(mixed(config_get()->caprice + 1ULL) + (1ULL << 32) + atomic_fetch_add(&turn, 1));
}

unsigned caprice_habit(enum habit habit, unsigned below)
{
    return is_on() ? (unsigned)(settled(config_get(), habit) % below) : 0;
}

/* What a device lacks takes tests away, so it lacks something more seldom than it reads something otherwise. */
bool caprice_reads(enum reading reading)
{
    return is_on() && settled(config_get(), READINGS + reading) % (reading < LACKS_GIANT_PAGES ? 2 : 8) == 0;
}

bool caprice_whim(unsigned percent)
{
    return percent > 0 && is_on() && next() % 100 < percent;
}

bool caprice_short(void)
{
    static const unsigned percent[] = {0, 0, 1, 5};
    return caprice_whim(percent[caprice_habit(HABIT_SHORT, 4)]);
}

bool caprice_never(uint64_t bytes)
{
    static const unsigned percent[] = {0, 0, 3, 10};
    uint64_t chance = mixed(settled(config_get(), SIZES) + bytes) % 100;
    return is_on() && chance < percent[caprice_habit(HABIT_SHORT, 4)];
}

drvError_t caprice_code(drvError_t usual, drvError_t other)
{
    static const unsigned percent[] = {0, 20, 50, 100};
    return caprice_whim(percent[caprice_habit(HABIT_CODE, 4)]) ? other : usual;
}

drvError_t caprice_refusal(drvError_t usual)
{
    static const drvError_t others[] = {DRV_ERROR_INVALID_VALUE, DRV_ERROR_PARA_ERROR, DRV_ERROR_NOT_EXIST,
                                        DRV_ERROR_IOCRL_FAIL};
    return caprice_code(usual, others[caprice_pick(sizeof(others) / sizeof(others[0]), 0)]);
}

bool caprice_forgets_cache(void)
{
    static const unsigned percent[] = {0, 10, 50, 100};
    return caprice_whim(percent[caprice_habit(HABIT_CACHE, 4)]);
}

bool caprice_moves(void)
{
    static const unsigned percent[] = {0, 2, 10, 40};
    return caprice_whim(percent[caprice_habit(HABIT_MOVE, 4)]);
}

size_t caprice_pick(size_t count, size_t usual)
{
    return is_on() && count > 0 ? (size_t)(next() % count) : usual;
}

void caprice_watermarks(struct config *config)
{
    config->uvm_low = config->capricious ? (unsigned)(settled(config, HABIT_LOW) % 90) : 75;
    config->uvm_high = config->capricious ? config->uvm_low + (unsigned)(settled(config, HABIT_HIGH) % 11) : 90;
}

void caprice_scan(struct config *config)
{
    config->uvm_scan = config->capricious ? (unsigned)(settled(config, HABIT_SCAN) % 40) : 20;
}
