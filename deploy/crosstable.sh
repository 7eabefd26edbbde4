#!/bin/sh
# /usr/local/bin/crosstable: every command as the user of the service, and for the office of the service.
# For an office on PostgreSQL, write its address below, such as  postgresql:///crosstable
[ "$(id -un)" = crosstable ] || exec sudo -u crosstable "$0" "$@"
export CROSSTABLE_OFFICE="${CROSSTABLE_OFFICE:-/var/lib/crosstable/office.db}"
export XDG_CACHE_HOME=/var/cache/crosstable
exec /opt/crosstable/bin/crosstable "$@"
