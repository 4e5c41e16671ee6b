-- What hosted pages show instead of our own name, sign and colour. At most one row; without it they show ours.
create table sso.branding (
  is_only    boolean primary key default true check (is_only),
  name       text not null check (length(name) between 1 and 60),
  logo_url   text,
  color      text check (color ~ '^#[0-9a-f]{6}$'),
  version    integer not null default 1,
  updated_at timestamptz not null default clock_timestamp()
);
