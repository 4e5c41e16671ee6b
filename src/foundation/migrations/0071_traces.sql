-- The trace (W3C Trace Context) in which a job was enqueued; null while traces are off.
alter table foundation.jobs add column trace text;
