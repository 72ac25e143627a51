/* forking.c - a child is refused until it opens; what it then does is its own. */
#include "harness.h"

int main(void)
{
    void *block = NULL;
    char byte = 0;
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAlloc(&block, 4096, DEV), 0);
    CHECK_CODE(drvMemsetD8(address_of(block), 4096, 5, 4096), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        void *own = NULL;
        DVdeviceptr base = 0;
        checks_failed = 0;
        CHECK_CODE(halMemAlloc(&own, 4096, DEV), 8);
        CHECK_CODE(halMemFree(block), 8);
        CHECK_CODE(halMemGetAddressRange(address_of(block), &base, NULL), 8);
        CHECK_CODE(drvMemsetD8(address_of(block), 1, 6, 1), 8);
        CHECK_CODE(halMemAgentOpen(0, 0), 0);
        CHECK_CODE(halMemGetAddressRange(address_of(block), &base, NULL), 3);
        CHECK_CODE(halMemAlloc(&own, 4096, DEV), 0);
        CHECK_CODE(drvMemsetD8(address_of(own), 4096, 6, 4096), 0);
        CHECK(holds_data(own, 4096));
        fflush(stdout);
        exit(checks_failed);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, address_of(block), 1), 0);
    CHECK(byte == 5);
    CHECK_CODE(halMemFree(block), 0);
    return finish();
}
