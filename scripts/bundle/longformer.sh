#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Part of a bundle: runs longformer with the torch of this machine.
set -euo pipefail
# shellcheck source=scripts/bundle/environment.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/environment.sh"
exec "$bundle/bin/longformer" "$@"
