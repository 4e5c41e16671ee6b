-- What keeps the service in order by itself: finding rows that are old enough to go, and telling of routes that will.

-- Indexes here hold only columns that never change after the insert: an indexed column that a refresh writes would make
-- every refresh touch every index.
create index refresh_tokens_by_end -- which tokens are long over?
  on sso.refresh_tokens (expires_at, token_hash);
create index refresh_tokens_with_answer -- which still hold the sealed answer of a retry?
  on sso.refresh_tokens (token_hash) where response_enc is not null;
create index users_of_sandbox_by_age -- who has been in the sandbox for longer than it keeps people?
  on sso.users (created_at, user_id) where environment = 'sandbox';
create index mfa_factors_unfinished -- which enrolments were never finished?
  on sso.mfa_factors (created_at, factor_id) where activated_at is null;

-- That the ADMINs of all production sites were told of a route that will be removed. Another date is another notice.
create table sso.deprecation_notices (
  route         text not null,
  since         date not null,
  sunset        date not null,
  announced_at  timestamptz(3) not null default clock_timestamp(),
  primary key (route, since, sunset)
);
