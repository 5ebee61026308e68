/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of an item's fields may leave the repository: no provenance, no e-mail addresses, nothing that EPrints keeps for
 * itself. Every crosswalk goes through here before a stylesheet sees a field. Threads: any.
 */
#ifndef ARCHIVOLT_METADATA_PUBLISH_H
#define ARCHIVOLT_METADATA_PUBLISH_H

#include "metadata/fields.h"

/* The field as a whole never leaves: provenance, contact_email, a value that is nothing but an address. */
bool field_is_private(const struct field *field);
/* Adds what may leave: private fields are left out, addresses are taken out of names of persons and of compound values.
 * The running text of an abstract or a note is its author's own and stays as it is. */
enum error_code fields_publish(const struct fields *fields, struct fields *ret_public, struct error *error) AV_MUST_USE;

#endif
