-- What partners pay: plan orders, one order per month for new registrations, and the messages of the payment provider
-- that were taken. Amounts are whole US cents.

-- A usage order grows with each registration until its month is closed. A plan order counts once it is fulfilled: the plan
-- of a site is that of its last fulfilled order.
create table sso.orders (
  order_id       uuid primary key,
  site_id        uuid not null references sso.sites,
  kind           text not null check (kind in ('plan', 'registration_usage')),
  plan           text check (plan in ('starter', 'business', 'enterprise')),
  status         text not null default 'pending'
                   check (status in ('pending', 'paid', 'fulfilled', 'failed', 'canceled', 'refunded')),
  amount         int not null check (amount >= 0),
  currency       text not null default 'USD' check (currency = 'USD'),
  period_start   timestamptz(3),
  period_end     timestamptz(3),
  registrations  int check (registrations > 0),
  created_at     timestamptz(3) not null default clock_timestamp(),
  closed_at      timestamptz(3),                     -- since when the amount of a month is final
  paid_at        timestamptz(3),
  fulfilled_at   timestamptz(3),
  ended_at       timestamptz(3),                     -- when it failed, was canceled or refunded
  constraint orders_plan_or_month check (
    case kind when 'plan' then plan is not null and num_nulls(period_start, period_end, registrations, closed_at) = 4
              else plan is null and num_nulls(period_start, period_end, registrations) = 0 end),
  constraint orders_times_follow_status check (
    case status when 'pending' then num_nulls(paid_at, fulfilled_at, ended_at) = 3
                when 'paid' then paid_at is not null and num_nulls(fulfilled_at, ended_at) = 2
                when 'fulfilled' then num_nulls(paid_at, fulfilled_at) = 0 and ended_at is null
                when 'refunded' then num_nulls(paid_at, ended_at) = 0
                else num_nulls(paid_at, fulfilled_at) = 2 and ended_at is not null end)
);
create unique index orders_one_a_month -- what does this site pay for the registrations of this month?
  on sso.orders (site_id, period_start) where kind = 'registration_usage';
create index orders_by_site -- which orders has this site, newest first?
  on sso.orders (site_id, created_at desc, order_id desc);
create index orders_newest -- which orders are there, newest first?
  on sso.orders (created_at desc, order_id desc);
create index orders_to_close -- which months are still open?
  on sso.orders (period_end, order_id) where kind = 'registration_usage' and closed_at is null;
create index orders_by_plan -- which plan was fulfilled last for this site?
  on sso.orders (site_id, fulfilled_at desc, order_id desc) where kind = 'plan' and status = 'fulfilled';

-- One row per registration that is paid for. email_hmac, under a key the database does not hold, is why deleting and making
-- an account again within a month is not billed twice; it is gone thirty days after the month was closed. No foreign key to
-- the person: what was billed outlives them.
create table sso.billing_ledger (
  user_id     uuid primary key,
  site_id     uuid not null references sso.sites,
  month       timestamptz(3) not null,               -- its first moment, UTC
  email_hmac  bytea,
  billed_at   timestamptz(3) not null default clock_timestamp(),
  constraint billing_ledger_once_a_month unique (site_id, month, email_hmac)
);
create index billing_ledger_with_address -- which still tell whether an address was billed?
  on sso.billing_ledger (month, user_id) where email_hmac is not null;

-- What the payment provider told us, by its own id of the event: a repetition finds it here. `outcome` says what became of
-- it; an order id that is unknown is kept as null.
create table sso.payment_events (
  event_id     text primary key,
  event_type   text not null,
  order_id     uuid references sso.orders,
  payment_id   text,                                 -- the provider's id of the payment it is about, where it names one
  outcome      text not null,
  received_at  timestamptz(3) not null default clock_timestamp()
);
create index payment_events_by_order -- what was told about this order?
  on sso.payment_events (order_id, received_at) where order_id is not null;
create index payment_events_by_time -- which are old enough to go?
  on sso.payment_events (received_at, event_id);
