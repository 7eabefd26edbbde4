#!/bin/sh
# Back up and restore an office on PostgreSQL with the server's own tools.
#   postgresql-backup.sh backup DATABASE FOLDER      writes FOLDER/DATABASE-20261118-030000.dump, keeps the newest 14
#   postgresql-backup.sh restore FILE DATABASE       makes a new database from it and verifies the record
# FOLDER/DATABASE.erasures is the list of people who were erased; a restore erases those again who were erased since.
# PGHOST, PGUSER and the like say where the server is. CROSSTABLE names the program (default: crosstable).
set -eu
umask 077
crosstable=${CROSSTABLE:-crosstable}

case "${1:-}" in
backup)
    database=$2 folder=$3
    file="$folder/$database-$(date -u +%Y%m%d-%H%M%S).dump"
    pg_dump --format=custom --no-owner --file="$file.partial" "$database"
    pg_restore --list "$file.partial" >/dev/null  # a dump that cannot be read is none
    mv "$file.partial" "$file"
    $crosstable office members erasures "$folder/$database.erasures" --database "postgresql:///$database" >&2
    ls -1 "$folder/$database"-*.dump | sort -r | tail -n +15 | xargs -r rm --
    echo "$file"
    ;;
restore)
    file=$2 database=$3
    createdb "$database"  # refuses one that is there
    pg_restore --exit-on-error --single-transaction --no-owner --dbname="$database" "$file"
    erasures="$(echo "$file" | sed 's/-[0-9]\{8\}-[0-9]\{6\}\.dump$//').erasures"
    if [ -f "$erasures" ]; then
        $crosstable office members erasures "$erasures" --again --database "postgresql:///$database"
    fi
    $crosstable office verify --database "postgresql:///$database"
    ;;
*)
    sed -n '2,6s/^# *//p' "$0" >&2
    exit 2
    ;;
esac
