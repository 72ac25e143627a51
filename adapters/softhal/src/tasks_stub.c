#include "internal.h"
bool tasks_settle(unsigned device){(void)device;return true;}
void tasks_forget(void){}
void conversions_detach_device(unsigned device){(void)device;}
void conversions_forget(void){}
