/* liveness.c - is a process that wrote its number into a shared file still the same one? */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "domain.h"

uint64_t process_started(pid_t pid)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0) {
        return 0;
    }
    text[length] = '\0';
    /* The second field is a name in parentheses that may itself hold any character. */
    const char *rest = strrchr(text, ')');
    if (rest == NULL) {
        return 0;
    }
    char run_state = '?';
    long threads = 0;
    unsigned long long started = 0;
    int fields = sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
                        &run_state, &threads, &started);
    if (fields != 3) {
        return 0;
    }
    /* A killed process that its parent has not waited for holds no memory any more. */
    bool gone = (run_state == 'Z' || run_state == 'X') && threads <= 1;
    return gone ? 0 : started;
}

uint64_t own_image(void)
{
    uint64_t image = 0;
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random != NULL) {
        memcpy(&image, random, sizeof(image));
    }
    return image;
}
