/* SPDX-License-Identifier: Apache-2.0 */
/* One table of settings, filled from file, environment and command line: see configuration.h. */
#include "server/configuration.h"

#include <ctype.h>
#include <ini.h>
#include <stddef.h>

enum kind { TEXT_KIND, NUMBER_KIND, SWITCH_KIND };

struct setting {
    const char *key, *standard, *help;
    enum kind kind;
    size_t offset;
};

#define LIMIT_STANDARD(value) #value
static const struct setting settings_table[] = {
#define X(key, kind, standard, help) {#key, standard, help, kind##_KIND, offsetof(struct configuration, key)},
    SETTINGS(X)
#undef X
#define X(key, value, help)                                                                        \
    {#key, LIMIT_STANDARD(value), help, NUMBER_KIND,                                               \
     offsetof(struct configuration, limits) + offsetof(struct model_limits, key)},
        MODEL_LIMITS(X)
#undef X
#define X(key, value, help)                                                                        \
    {#key, LIMIT_STANDARD(value), help, NUMBER_KIND,                                               \
     offsetof(struct configuration, package_limits) + offsetof(struct package_limits, key)},
        PACKAGE_LIMITS(X)
#undef X
};
#define SETTING_COUNT (sizeof settings_table / sizeof settings_table[0])

static void *
place_of(struct configuration *configuration, const struct setting *setting)
{
    return (char *)configuration + setting->offset;
}

static bool
parse_number(struct text value, uint64_t *ret_number)
{
    static const char units[] = "KMG";
    const char *unit = value.length == 0 ? NULL : strchr(units, toupper((unsigned char)value.data[value.length - 1]));
    unsigned shift = 0;
    if (unit != NULL && *unit != '\0') {
        shift = 10 * ((unsigned)(unit - units) + 1);
        value.length--;
    }
    uint64_t number;
    if (!text_to_u64(text_trim(value), &number) || number > UINT64_MAX >> shift)
        return false;
    *ret_number = number << shift;
    return true;
}

static bool
parse_switch(struct text value, uint64_t *ret_number)
{
    bool yes = text_equal(value, TEXT("yes")) || text_equal(value, TEXT("true")) || text_equal(value, TEXT("1"));
    bool no = text_equal(value, TEXT("no")) || text_equal(value, TEXT("false")) || text_equal(value, TEXT("0"));
    *ret_number = yes;
    return yes || no;
}

static enum error_code
set_value(struct configuration *configuration, const struct setting *setting, struct text value, struct error *error)
{
    uint64_t number;
    if (setting->kind == TEXT_KIND) {
        char **place = place_of(configuration, setting);
        free(*place);
        *place = text_copy(value);
        return ERROR_NONE;
    }
    bool good = setting->kind == NUMBER_KIND ? parse_number(value, &number) : parse_switch(value, &number);
    if (!good)
        return error_set(error, ERROR_INVALID, "%s = %.*s: wanted %s", setting->key, TEXT_ARG(value),
                         setting->kind == NUMBER_KIND ? "a number, perhaps with K, M or G" : "yes or no");
    uint64_t *place = place_of(configuration, setting);
    *place = number;
    return ERROR_NONE;
}

static enum error_code
set_by_name(struct configuration *configuration, struct text key, struct text value, struct error *error)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (text_equal(text_from(settings_table[i].key), key))
            return set_value(configuration, &settings_table[i], value, error);
    }
    return error_set(error, ERROR_INVALID, "there is no setting named %.*s", TEXT_ARG(key));
}

/* ---- the three sources --------------------------------------------------------------------------------- */

struct file_reading {
    struct configuration *configuration;
    struct error *error;
};

static int
take_line(void *context, const char *section, const char *name, const char *value)
{
    struct file_reading *reading = context;
    char key[128];
    int length = section[0] == '\0' ? snprintf(key, sizeof key, "%s", name)
                                    : snprintf(key, sizeof key, "%s_%s", section, name);
    struct error later = {0};
    /* the first error is the one that is told */
    struct error *error = reading->error->code == ERROR_NONE ? reading->error : &later;
    if (length < 0 || (size_t)length >= sizeof key)
        return error_set(error, ERROR_INVALID, "a key is too long") == ERROR_NONE;
    return set_by_name(reading->configuration, text_from(key), text_from(value), error) == ERROR_NONE;
}

static enum error_code
read_file(struct configuration *configuration, const char *folder, struct error *error)
{
    char path[4096];
    struct error found = {0};
    struct file_reading reading = {configuration, &found};
    int length = snprintf(path, sizeof path, "%s/archivolt.conf", folder);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(error, ERROR_INVALID, "the data folder's path is too long");
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return ERROR_NONE;
    int line = ini_parse_file(file, take_line, &reading);
    fclose(file);
    if (line == 0)
        return ERROR_NONE;
    return error_set(error, ERROR_INVALID, "%s, line %d: %s", path, line,
                     found.code != ERROR_NONE ? found.message : "this is not key = value");
}

static enum error_code
read_environment(struct configuration *configuration, struct error *error)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        char name[96] = "ARCHIVOLT_";
        size_t at = strlen(name);
        for (const char *c = settings_table[i].key; *c != '\0' && at + 1 < sizeof name; c++)
            name[at++] = (char)toupper((unsigned char)*c);
        name[at] = '\0';
        const char *value = getenv(name);
        if (value != NULL && set_value(configuration, &settings_table[i], text_from(value), error) != ERROR_NONE)
            return error_prefix(error, "environment variable %s: ", name);
    }
    return ERROR_NONE;
}

static enum error_code
read_settings(struct configuration *configuration, const char *const *settings, struct error *error)
{
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++) {
        struct text value;
        struct text key = text_cut(text_from(settings[i]), '=', &value);
        if (value.data == NULL)
            return error_set(error, ERROR_INVALID, "setting %s: wanted key=value", settings[i]);
        if (set_by_name(configuration, key, value, error) != ERROR_NONE)
            return error->code;
    }
    return ERROR_NONE;
}

static enum error_code
set_standards(struct configuration *configuration, struct error *error)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (set_value(configuration, &settings_table[i], text_from(settings_table[i].standard), error) != ERROR_NONE)
            return error->code;
    }
    return ERROR_NONE;
}

enum error_code
configuration_load(const char *folder, const char *const *settings, struct configuration *ret_configuration,
                   struct error *error)
{
    struct error own = {0};
    error = error != NULL ? error : &own;
    struct configuration configuration = {.http = NULL};
    if (set_standards(&configuration, error) == ERROR_NONE && read_file(&configuration, folder, error) == ERROR_NONE &&
        read_environment(&configuration, error) == ERROR_NONE &&
        read_settings(&configuration, settings, error) == ERROR_NONE) {
        *ret_configuration = configuration;
        return ERROR_NONE;
    }
    configuration_release(&configuration);
    return error->code;
}

void
configuration_release(struct configuration *configuration)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (settings_table[i].kind != TEXT_KIND)
            continue;
        char **place = place_of(configuration, &settings_table[i]);
        free(*place);
        *place = NULL;
    }
}

void
configuration_describe(const struct configuration *configuration, struct buffer *ret_text)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct setting *setting = &settings_table[i];
        const void *place = (const char *)configuration + setting->offset;
        buffer_printf(ret_text, "# %s (default %s)\n%s = ", setting->help,
                      setting->standard[0] == '\0' ? "empty" : setting->standard, setting->key);
        if (setting->kind == TEXT_KIND)
            buffer_append_string(ret_text, *(char *const *)place);
        else if (setting->kind == SWITCH_KIND)
            buffer_append_string(ret_text, *(const uint64_t *)place ? "yes" : "no");
        else
            buffer_append_u64(ret_text, *(const uint64_t *)place);
        buffer_append_char(ret_text, '\n');
    }
}
