/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The repository of a configuration: what front ends and the commands about items stand on.
 */
#ifndef ARCHIVOLT_SERVER_SITE_H
#define ARCHIVOLT_SERVER_SITE_H

#include "repository/repository.h"
#include "server/configuration.h"

/* INVALID: a bad path, zone or stylesheet, named. The model must outlive it. */
enum error_code site_open(const struct configuration *configuration, const char *folder, struct model *model,
                          struct repository **ret_repository, struct error *error) AV_MUST_USE;

/* A thread that does what falls due (embargoes end), once a minute. */
struct site_clock;
enum error_code site_clock_start(struct repository *repository, struct site_clock **ret_clock, struct error *error) AV_MUST_USE;
void site_clock_stop(struct site_clock *clock); /* NULL is fine */

#endif
