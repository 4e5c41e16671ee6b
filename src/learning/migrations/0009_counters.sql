-- Whoever writes channels, homework or tests counts them in the same transaction (channels/counts.ts). One row per tenant
-- holds the totals of its list.
insert into learning.channel_counts (tenant_id, slot, listed, live)
select tenant_id, 16, sum(listed), sum(live) from learning.channel_counts group by tenant_id;
delete from learning.channel_counts where slot < 16;

drop trigger channels_added on learning.channels;
drop trigger channels_changed on learning.channels;
drop trigger channels_removed on learning.channels;
drop function learning.channels_added();
drop function learning.channels_changed();
drop function learning.channels_removed();
drop function learning.count_channels(text, bigint, bigint);
alter table learning.channel_counts drop column slot, add primary key (tenant_id);

drop trigger homework_counted on learning.homework;
drop trigger tests_counted on learning.tests;
drop function learning.work_changed();
drop function learning.count_work(text, text, uuid, text, int);

-- Learners are counted by the one trigger that is left, where they enroll; enrollments are never deleted.
drop trigger enrollments_removed on learning.enrollments;
drop function learning.enrollments_removed();
drop trigger editors_added on learning.channel_editors;
drop trigger editors_removed on learning.channel_editors;
drop function learning.editors_changed();
