#!/bin/sh
# Patroni calls it once, on the first primary, with an address of the new database. The password is of letters and digits.
set -eu
exec psql --set ON_ERROR_STOP=1 --dbname "$1" <<SQL
create role lyceum login password '$DATABASE_PASSWORD';
create database lyceum owner lyceum;
SQL
