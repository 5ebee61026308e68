/* SPDX-License-Identifier: Apache-2.0 */
/* archivolt init, archivolt serve, archivolt rebuild: the commands that own a data folder. */
#include "cli/cli.h"
#include "model/model.h"
#include "server/admin/admin.h"

#include <unistd.h>

static void
print_created(const char *folder, const char *token)
{
    struct buffer out = {0};
    struct json_writer w = json_writer(&out);
    json_begin_object(&w);
    json_member_string(&w, "data", folder);
    json_member_string(&w, "user", "admin");
    json_member_string(&w, "token", token);
    json_end_object(&w);
    puts(buffer_string(&out));
    buffer_release(&out);
}

enum exit_status
command_init(struct cli *cli, int argc, char **argv)
{
    struct model_options options = {.limits = model_limits_default()};
    char token[TOKEN_TEXT_BYTES];
    struct error error = {0};
    const struct cli_option own[] = {{0, "sha256", NULL, &options.sha256}, {0}};
    if (!cli_parse(cli, argc, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count > 1)
        return cli_usage(cli, "one folder at most");
    options.folder = cli->argument_count == 1 ? cli->arguments[0] : cli_data_folder(cli);
    if (options.folder == NULL)
        return EXIT_USAGE;
    if (model_create(&options, token, &error) != ERROR_NONE)
        return cli_fail(cli, &error);
    if (cli->json)
        print_created(options.folder, token);
    else
        printf("token: %s\n", token);
    if (!cli->quiet && !cli->json)
        fprintf(stderr, "archivolt: %s is ready; keep the token of `admin` well: it is shown only now\n", options.folder);
    return EXIT_DONE;
}

#define SETTINGS_MAXIMUM 64u

enum exit_status
command_serve(struct cli *cli, int argc, char **argv)
{
    struct server_options options = {.companion = &admin_companion};
    const char *settings[SETTINGS_MAXIMUM + 1] = {NULL};
    size_t count = 0;
    struct error error = {0};
    const char *set = NULL;
    const struct cli_option own[] = {{0, "http", &options.http, NULL}, {0, "set", &set, NULL}, {0}};
    /* --set may come several times: each is taken out before the rest is parsed. */
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--set") == 0 && i + 1 < argc && count < SETTINGS_MAXIMUM)
            settings[count++] = argv[++i];
        else
            argv[kept++] = argv[i];
    }
    if (!cli_parse(cli, kept, argv, own))
        return EXIT_USAGE;
    if (cli->argument_count > 0)
        return cli_usage(cli, "unexpected: %s", cli->arguments[0]);
    options.folder = cli_data_folder(cli);
    options.settings = settings;
    if (options.folder == NULL)
        return EXIT_USAGE;
    return server_run(&options, &error) == ERROR_NONE ? EXIT_DONE : cli_fail(cli, &error);
}

static void
rebuild_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    progress->what = what;
    progress->total = total;
    progress_step(progress, done, 0);
}

enum exit_status
command_rebuild(struct cli *cli, int argc, char **argv)
{
    struct progress progress;
    struct model_options options = {.limits = model_limits_default(), .progress = rebuild_progress, .context = &progress};
    struct error error = {0};
    uint64_t resources = 0;
    if (!cli_parse(cli, argc, argv, NULL))
        return EXIT_USAGE;
    if (cli->argument_count > 0)
        return cli_usage(cli, "unexpected: %s", cli->arguments[0]);
    options.folder = cli_data_folder(cli);
    if (options.folder == NULL)
        return EXIT_USAGE;
    progress_begin(&progress, cli, "rebuild", 0);
    enum error_code code = model_rebuild(&options, &resources, &error);
    progress_end(&progress);
    if (code != ERROR_NONE)
        return cli_fail(cli, &error);
    if (cli->json)
        printf("{\"resources\":%llu}\n", (unsigned long long)resources);
    else if (!cli->quiet)
        printf("%llu resources\n", (unsigned long long)resources);
    return EXIT_DONE;
}
