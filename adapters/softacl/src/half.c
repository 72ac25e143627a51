/* half.c - half precision numbers, by their bits: not every compiler knows the type. */
#include <string.h>

#include "kernel.h"

#define SMALLEST 0x1p-24F /* the smallest number above 0 */

float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    float value = 0.0F;
    if (exponent == 0) {
        value = (float)fraction * SMALLEST;
        return sign != 0 ? -value : value;
    }
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000 | fraction << 13;
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Drops so many bits, to nearest and ties to even. */
static uint32_t round_off(uint32_t value, int bits)
{
    uint32_t half = 1U << (bits - 1);
    uint32_t rest = value & ((1U << bits) - 1);
    uint32_t kept = value >> bits;
    return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

uint16_t float_to_half(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = bits >> 16 & 0x8000;
    int exponent = (int)(bits >> 23 & 0xff) - 127;
    uint32_t fraction = bits & 0x7fffff;
    if (exponent == 128) {
        return (uint16_t)(sign | 0x7c00 | (fraction != 0 ? 0x200 : 0));
    }
    if (exponent > 15) {
        return (uint16_t)(sign | 0x7c00);
    }
    if (exponent >= -14) { /* a carry out of the fraction rightly raises the exponent, up to infinity */
        return (uint16_t)(sign | (((uint32_t)(exponent + 15) << 10) + round_off(fraction, 13)));
    }
    if (exponent < -25) {
        return (uint16_t)sign;
    }
    return (uint16_t)(sign | round_off(fraction | 0x800000, 13 + (-14 - exponent)));
}
