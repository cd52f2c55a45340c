#!/bin/sh
# Runs once, when the database of compose.yaml is made: a login that owns its database and is no superuser.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$SAIDONCE_DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE saidonce LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE kb OWNER saidonce TEMPLATE template0 LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8';
SQL
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname kb <<'SQL'
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
SQL
