-- One-time codes that carry a sign-in from our pages to the server of a partner, which exchanges them for tokens.

-- Only the SHA-256 of a code is kept, and a row is gone once it is spent. token_enc is the first refresh token of the
-- session, sealed under a key that only the code yields.
create table sso.sign_in_codes (
  code_hash   bytea primary key,
  session_id  uuid not null references sso.sessions on delete cascade,
  token_enc   bytea not null,
  expires_at  timestamptz(3) not null
);
create index sign_in_codes_by_session -- which codes go with this session?
  on sso.sign_in_codes (session_id);
create index sign_in_codes_by_end -- which were never exchanged and can go?
  on sso.sign_in_codes (expires_at);
