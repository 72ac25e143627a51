/* init.c - aclInit and its counterparts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { CONFIG_MAX = 1 << 20 };

static uint64_t inits;
static bool finalized;
static uint64_t config_seen; /* of the first init */

/* Text of a configuration file, ended by 0; NULL if it cannot be read. */
static char *read_config(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file == NULL ? NULL : calloc(CONFIG_MAX + 1, 1);
    if (text != NULL) {
        size_t length = fread(text, 1, CONFIG_MAX, file);
        if (ferror(file) != 0) {
            free(text);
            text = NULL;
        } else {
            text[length] = '\0';
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/* An object between braces, or nothing; what is in it concerns other parts of the product. */
static bool looks_like_json(const char *text)
{
    size_t start = strspn(text, " \t\r\n");
    size_t end = strlen(text);
    while (end > start && strchr(" \t\r\n", text[end - 1]) != NULL) {
        end--;
    }
    return end == start || (text[start] == '{' && text[end - 1] == '}');
}

static uint64_t digest(const char *text)
{
    uint64_t value = 14695981039346656037ULL;
    for (; *text != '\0'; text++) {
        value = (value ^ (unsigned char)*text) * 1099511628211ULL;
    }
    return value;
}

static aclError read_settings(const char *path, uint64_t *value)
{
    *value = 0;
    if (path == NULL || path[0] == '\0') {
        return ACL_SUCCESS;
    }
    char *text = read_config(path);
    if (text == NULL) {
        return fail(ACL_ERROR_INVALID_FILE, "the configuration file cannot be read");
    }
    bool ok = looks_like_json(text);
    *value = text[strspn(text, "{} \t\r\n")] == '\0' ? 0 : digest(text);
    free(text);
    return ok ? ACL_SUCCESS : fail(ACL_ERROR_PARSE_FILE, "the configuration file is no JSON object");
}

aclError aclInit(const char *configPath)
{
    uint64_t settings = 0;
    aclError code = read_settings(configPath, &settings);
    lock();
    if (inits > 0) {
        inits++;
        bool same = code == ACL_SUCCESS && settings == config_seen;
        code = same ? ACL_ERROR_REPEAT_INITIALIZE : ACL_ERROR_INVALID_PARAM;
    } else if (code == ACL_SUCCESS) {
        inits = 1;
        finalized = false;
        config_seen = settings;
    }
    unlock();
    return code;
}

aclError aclFinalize(void)
{
    lock();
    bool again = finalized;
    inits = 0;
    finalized = !FAULT(finalize_forgotten);
    unlock();
    return again ? fail(ACL_ERROR_REPEAT_FINALIZE, "already finalized") : ACL_SUCCESS;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    lock();
    aclError code = inits < 1 ? ACL_ERROR_REPEAT_FINALIZE : ACL_SUCCESS;
    if (code == ACL_SUCCESS) {
        inits--;
        finalized = inits == 0;
    }
    if (refCount != NULL) {
        *refCount = inits;
    }
    unlock();
    return code;
}
