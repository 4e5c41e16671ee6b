-- Channels and episodes are read as rows, and the response schema of the route makes their JSON.
drop trigger channels_shown on learning.channels;
drop function learning.show_channel();
drop function learning.show_progress_in(text, text, uuid);
alter table learning.channels drop column shown;
alter table learning.episodes drop column shown;

-- Strict, so that PostgreSQL calls it and does not write it out: without a person it costs nothing.
alter function learning.progress_in(text, text, uuid) strict;
