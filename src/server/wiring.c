/* SPDX-License-Identifier: Apache-2.0 */
/* Which front end answers where. Adding one: its folder under src/frontend/, one line here. */
#include "frontend/fedora/fedora.h"
#include "frontend/oai/oai.h"
#include "frontend/sword/sword.h"
#include "frontend/web/web.h"
#include "server/server_private.h"

const struct http_front_end *const server_front_ends[] = {
    &fedora_front_end, &sword_front_end, &sword_server_front_end, &swordv2_front_end, &swordv2_server_front_end,
    &oai_front_end, &oai_server_front_end, &livez_front_end, &readyz_front_end, &metrics_front_end, &web_front_end, NULL,
};
