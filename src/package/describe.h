/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata documents of packages to fields, with a line of the report for each value that no field took.
 * Threads: one at a time for each package.
 */
#ifndef ARCHIVOLT_PACKAGE_DESCRIBE_H
#define ARCHIVOLT_PACKAGE_DESCRIBE_H

#include "package/package.h"

/* By a crosswalk into fields. UNSUPPORTED: there is none of this name. */
enum error_code describe_xml(struct package *package, const struct package_request *request, const char *crosswalk,
                             const struct xml_node *node, struct error *error) AV_MUST_USE;
/* METSRights: who holds them and what they are become fields, the day from which the public may read becomes the embargo. */
enum error_code describe_rights(struct package *package, const struct package_request *request,
                                const struct xml_node *node, struct error *error) AV_MUST_USE;
/* SWORD 3's default metadata (section 9.3): "dc:NAME" and "dcterms:NAME", texts or arrays of them. */
enum error_code describe_sword_json(struct package *package, const struct package_request *request, struct text json,
                                    struct error *error) AV_MUST_USE;
/* The later of the date that is set and this one. INVALID: no date of the calendar. */
enum error_code describe_embargo(struct package *package, struct text date, struct error *error) AV_MUST_USE;
/* Files that not everybody may read, for a reason that has no end: closed until somebody opens them. */
void describe_closed(struct package *package, const char *why);

#endif
